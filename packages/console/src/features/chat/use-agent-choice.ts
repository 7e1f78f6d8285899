import { useCallback, useState } from 'react';
import { browserStorage } from '../../lib/browser-storage.ts';
import { type AgentChoice, readChoice } from './model/agent-choice.ts';

const key = 'switchyard.agent';

/** Who answers, as the user has chosen it last in this browser. */
export function useAgentChoice(): [AgentChoice, (change: Partial<AgentChoice>) => void] {
  const [choice, setChoice] = useState(() => readChoice(browserStorage.getItem(key)));
  const change = useCallback((changed: Partial<AgentChoice>) => {
    setChoice((before) => {
      const next = { ...before, ...changed };
      browserStorage.setItem(key, JSON.stringify(next));
      return next;
    });
  }, []);
  return [choice, change];
}
