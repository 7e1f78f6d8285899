import { type Static, Type } from 'typebox';
import { isoTime } from '../shapes.ts';
import { run } from './run.ts';
import { runEvent } from './run-event.ts';
import { runSpan } from './timeline.ts';

export const runFileFormat = 'switchyard.run';
/** Changes when an older reader would misread a newer file. */
export const runFileVersion = 1;

/** A small picture of an output, so that a replay has it without the gateway. */
export const runFilePicture = Type.Object({
  file_id: Type.String(),
  content_type: Type.String(),
  data: Type.String({ description: 'Base64.' }),
});
export type RunFilePicture = Static<typeof runFilePicture>;

/** A run as one file: what happened, and when. It has no links that open files, and no other credentials. */
export const runFile = Type.Object({
  format: Type.Literal(runFileFormat),
  version: Type.Literal(runFileVersion),
  exported_at: isoTime,
  live: Type.Boolean({ description: 'The run had not ended, so this is its beginning.' }),
  run,
  events: Type.Array(runEvent, { description: 'By seq.' }),
  spans: Type.Array(runSpan, { description: 'By start, then by id.' }),
  pictures: Type.Array(runFilePicture),
  cut: Type.Object({
    events: Type.Boolean({ description: 'There were more than the file holds.' }),
    spans: Type.Boolean(),
    pictures: Type.Boolean(),
  }),
});
export type RunFile = Static<typeof runFile>;
