import { type Static, Type } from 'typebox';
import { type Sentence, sentenceList } from './sentences/sentence.ts';

/** The dispatch area's answer to a request that failed. */
export const dispatchError = Type.Object({
  code: Type.Integer({ description: 'The HTTP status.' }),
  message: Type.String({ description: 'What is wrong and what to do.' }),
  error: Type.String({ description: 'The code of the catalogue; stable, for programs.' }),
  data: Type.Null(),
  requestId: Type.String({ description: 'As in `X-Request-Id`.' }),
  details: Type.Optional(
    Type.Unknown({
      description:
        'For a request that is not valid: a list of `{ path, message }`, with `sentences` where the message is one of the gateway that clients may say in their own language.',
    }),
  ),
});
export type DispatchError = Static<typeof dispatchError>;

/** One entry of the dispatch area's `details` for a request that is not valid. */
export interface DispatchFault {
  /** The place of the fault: `body.params.seed`, `query.limit`. */
  path: string;
  message: string;
  /** The message as codes, where it has some. */
  sentences?: Sentence[];
}

const validationFault = Type.Object({
  type: Type.String({ description: 'For example `missing` or `string_too_short`.' }),
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
    description: 'Where: begins with `body`, `query`, `path` or `header`.',
  }),
  msg: Type.String(),
  input: Type.Unknown(),
  ctx: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  sentences: Type.Optional(sentenceList),
});
export type ValidationFault = Static<typeof validationFault>;

/** The answer of the conversation area, accounts and sessions to a request that failed. */
export const conversationError = Type.Object({
  detail: Type.Union([
    Type.String({ description: 'An ordinary error.' }),
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'An error of accounts and sessions.' },
    ),
    Type.Array(validationFault, { description: 'A request that is not valid: every fault.' }),
  ]),
  sentences: Type.Optional(sentenceList),
});
export type ConversationError = Static<typeof conversationError>;
