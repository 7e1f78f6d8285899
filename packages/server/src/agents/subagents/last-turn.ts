import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { withoutCalls } from '../middleware/repeated-calls.ts';

const request =
  'This is your last turn. Answer now with what you have, without tools, and say what is missing.';

/** Makes an agent end after this many answers of its model. */
export function lastTurn(maxTurns: number) {
  return createMiddleware({
    name: 'LastTurnMiddleware',
    wrapModelCall: async (call, handler) => {
      const made = call.messages.filter(({ type }) => type === 'ai').length;
      if (made < maxTurns - 1) return handler(call);
      const messages = [...call.messages, new HumanMessage(request)];
      const answer = await handler({ ...call, messages, toolChoice: 'none' });
      return AIMessage.isInstance(answer)
        ? withoutCalls(answer, 'I did not finish within my turns.')
        : answer;
    },
  });
}
