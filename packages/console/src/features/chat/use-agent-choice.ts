import { useCallback, useState } from 'react';
import { type AgentChoice, readChoice } from './model/agent-choice.ts';

const key = 'switchyard.agent';

/** Who answers, as the user has chosen it last in this browser. */
export function useAgentChoice(): [AgentChoice, (change: Partial<AgentChoice>) => void] {
  const [choice, setChoice] = useState(() => readChoice(window.localStorage.getItem(key)));
  const change = useCallback((changed: Partial<AgentChoice>) => {
    setChoice((before) => {
      const next = { ...before, ...changed };
      window.localStorage.setItem(key, JSON.stringify(next));
      return next;
    });
  }, []);
  return [choice, change];
}
