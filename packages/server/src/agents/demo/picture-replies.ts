import { listedPictures } from './listed-files.ts';
import { type PictureRequest, pictureRequest, type RequestedPicture } from './picture-request.ts';
import { blendCall, contactSheetCall, editCall, type WorkflowCall } from './picture-workflow.ts';
import type { ScriptedCall, ScriptedReply } from './turn.ts';
import { nameOf, stemOf } from './workflow-builder.ts';

export const listFilesName = 'ls';
const uploads = '/mnt/user-data/uploads';

/** A request for more would fill the queue by itself. */
const max = { tasks: 8, pictures: 36 } as const;

interface Known {
  request: PictureRequest;
  question: string;
  /** Newest first. */
  uploaded: string[];
  /** The newest result of this conversation. */
  lastMade: string | undefined;
}

const listUploads: ScriptedCall = {
  name: listFilesName,
  args: { description: 'See which pictures there are', path: uploads },
};

/** Returns the reply to a request for pictures before any files were listed, or null for any other request. */
export function pictureReply(
  question: string,
  { lastMade, canList }: { lastMade: string | undefined; canList: boolean },
): ScriptedReply | null {
  const request = pictureRequest(question);
  if (!request) return null;
  if (!needsList(request, question)) return replyOf({ request, question, uploaded: [], lastMade });
  if (canList) return { text: 'Let me see which pictures there are.', calls: [listUploads] };
  return say('Please name a picture of yours, for example "invert cat.png".');
}

/** Does the same as `pictureReply`, once the uploads were listed. */
export function pictureReplyTo(
  question: string,
  { list, lastMade }: { list: string; lastMade: string | undefined },
): ScriptedReply | null {
  const request = pictureRequest(question);
  if (!request) return null;
  const uploaded = listedPictures(list).map(({ path }) => path);
  if (uploaded.length === 0) {
    return say(
      'There is no picture among the uploads of this conversation. Upload one, or say "invert a picture" for a sample that I draw myself.',
    );
  }
  return replyOf({ request, question, uploaded, lastMade });
}

function needsList({ pictures, ofAll }: PictureRequest, question: string): boolean {
  return pictures.some(({ names }) => names.length === 0) && (ofAll || !speaksOfResult(question));
}

function speaksOfResult(question: string): boolean {
  return /\b(?:the|that|last) (?:result|output)\b/i.test(question);
}

function replyOf(known: Known): ScriptedReply {
  const calls = known.request.pictures.flatMap((picture) => callsFor(picture, known));
  if (calls.length === 0) return say('There is no result yet. Name a picture, for example "invert cat.png".');
  if (calls.length > max.tasks) {
    return say(
      `That would be ${calls.length} tasks; I start at most ${max.tasks} at once. Name fewer pictures.`,
    );
  }
  const list = calls.map(({ args }) => `- ${String(args.name)}`).join('\n');
  return { text: `I run this on the pool:\n${list}\n`, calls };
}

function callsFor(picture: RequestedPicture, known: Known): WorkflowCall[] {
  const paths = pathsFor(picture, known);
  const [first, second] = paths;
  if (first === undefined) return [];
  if (picture.kind === 'contact sheet') return [contactSheetCall(paths.slice(0, max.pictures))];
  if (picture.kind === 'blend' && second !== undefined) return [blendCall(first, second)];
  return paths.map((path) => editCall(path, picture.edits));
}

/** Chooses pictures by their names; else all or those whose names are words of the request; else the newest. */
function pathsFor(
  { names, kind }: RequestedPicture,
  { request, question, uploaded, lastMade }: Known,
): string[] {
  if (names.length > 0) return names.map((name) => (name.startsWith('/') ? name : `${uploads}/${name}`));
  if (request.ofAll || kind === 'contact sheet') return uploaded;
  if (uploaded.length === 0) return lastMade === undefined ? [] : [lastMade];
  const words = new Set(question.toLowerCase().split(/[^\p{L}\p{N}_-]+/u));
  const meant = uploaded.filter((path) => words.has(stemOf(nameOf(path)).toLowerCase()));
  return meant.length > 0 ? meant : uploaded.slice(0, 1);
}

function say(text: string): ScriptedReply {
  return { text, calls: [] };
}
