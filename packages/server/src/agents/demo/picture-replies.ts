import { listedPictures } from './listed-files.ts';
import { type PictureRequest, type PictureWish, pictureRequest } from './picture-request.ts';
import { blendCall, contactSheetCall, editCall, type WorkflowCall } from './picture-workflow.ts';
import type { ScriptedCall, ScriptedReply } from './turn.ts';
import { nameOf, stemOf } from './workflow-builder.ts';

export const listFilesName = 'ls';
const uploads = '/mnt/user-data/uploads';

/** More would be a queue of its own. */
const most = { tasks: 8, pictures: 36 } as const;

interface Known {
  request: PictureRequest;
  question: string;
  /** Newest first. */
  uploaded: string[];
  /** What the conversation has made last. */
  lastMade: string | undefined;
}

const listUploads: ScriptedCall = {
  name: listFilesName,
  args: { description: 'See which pictures there are', path: uploads },
};

/** What is said to a request for pictures before anything has been looked at; null for any other request. */
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

/** As `pictureReply`, once the uploads were listed. */
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

function needsList({ wishes, ofAll }: PictureRequest, question: string): boolean {
  return wishes.some(({ names }) => names.length === 0) && (ofAll || !speaksOfResult(question));
}

function speaksOfResult(question: string): boolean {
  return /\b(?:the|that|last) (?:result|output)\b/i.test(question);
}

function replyOf(known: Known): ScriptedReply {
  const calls = known.request.wishes.flatMap((wish) => callsFor(wish, known));
  if (calls.length === 0) return say('There is no result yet. Name a picture, for example "invert cat.png".');
  if (calls.length > most.tasks) {
    return say(
      `That would be ${calls.length} tasks; I start at most ${most.tasks} at once. Name fewer pictures.`,
    );
  }
  const list = calls.map(({ args }) => `- ${String(args.name)}`).join('\n');
  return { text: `I run this on the pool:\n${list}\n`, calls };
}

function callsFor(wish: PictureWish, known: Known): WorkflowCall[] {
  const paths = pathsFor(wish, known);
  const [first, second] = paths;
  if (first === undefined) return [];
  if (wish.kind === 'contact sheet') return [contactSheetCall(paths.slice(0, most.pictures))];
  if (wish.kind === 'blend' && second !== undefined) return [blendCall(first, second)];
  return paths.map((path) => editCall(path, wish.edits));
}

/** By their names; else all or those whose names are words of the request; else the newest. */
function pathsFor({ names, kind }: PictureWish, { request, question, uploaded, lastMade }: Known): string[] {
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
