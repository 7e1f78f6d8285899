import { type Static, Type } from 'typebox';

export const sentence = Type.Object({
  code: Type.String({
    description:
      'Which sentence it is; for a code that it does not know, a client shows the text beside the list. `quote` is what somebody else said, such as a worker, in `values.text`.',
  }),
  values: Type.Record(Type.String(), Type.String(), {
    description:
      'The names and numbers in it. `detail` is what stands in brackets behind it; times are ISO 8601.',
  }),
});
export type Sentence = Static<typeof sentence>;

/** The parts of a text, for clients that show it in their own language. */
export const sentenceList = Type.Array(sentence, {
  description: 'The same text as codes with values, in the order of the text.',
});
