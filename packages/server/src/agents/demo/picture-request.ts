import { type Edit, editsIn } from './picture-edits.ts';

/** What to make of pictures: a copy of each with all edits, or one picture made of several. */
export interface RequestedPicture {
  kind: 'edit' | 'contact sheet' | 'blend';
  edits: Edit[];
  /** Names as the user wrote them, or paths; empty when no picture is named. */
  names: string[];
}

export interface PictureRequest {
  pictures: RequestedPicture[];
  /** "all pictures" */
  ofAll: boolean;
}

const extension = String.raw`\.(?:png|jpe?g|webp|gif|tiff?|bmp|avif)`;
/** Names in quotes may contain spaces. */
const name = new RegExp(
  `["“']([^"”'\\n]{1,300}${extension})["”']|([^\\s"“”',;:]{1,300}${extension})(?!\\w)`,
  'gi',
);
const borders = /,\s+|;|\.\s|\band\b|\bthen\b|\bas well as\b/;

/** Returns null when the question does not ask for pictures. */
export function pictureRequest(question: string): PictureRequest | null {
  const names: string[] = [];
  // A number in a name is no size, and an "and" in a name separates no clauses.
  const text = question.replace(name, (whole, quoted?: string, bare?: string) => {
    names.push(quoted ?? bare ?? whole);
    return ` <${names.length - 1}> `;
  });
  const ofAll = /\b(?:all|every|each|these|those|them)\b/i.test(text);
  const several = severalOf(text, names);
  if (several) return { pictures: [several], ofAll: ofAll || several.names.length === 0 };
  const pictures = requestedEdits(text, names);
  return pictures.length === 0 ? null : { pictures, ofAll };
}

function severalOf(text: string, names: string[]): RequestedPicture | null {
  if (/\bcontact[ -]?sheet\b|\bcollage\b|\bmontage\b|\bgrid of\b/i.test(text)) {
    return { kind: 'contact sheet', edits: [], names };
  }
  if (/\b(?:blend|mix|combine)\b/i.test(text) && names.length === 2) {
    return { kind: 'blend', edits: [], names };
  }
  return null;
}

/** Goes clause by clause. Edits are gathered until a clause names a picture for which other edits were requested already. */
function requestedEdits(text: string, names: readonly string[]): RequestedPicture[] {
  const pictures: RequestedPicture[] = [];
  for (const clause of text.replace(/\bblack\s+(?:and|&)\s+white\b/gi, 'grayscale').split(borders)) {
    const edits = editsIn(clause.replace(/<\d+>/g, ' '));
    const named = [...clause.matchAll(/<(\d+)>/g)].map(([, at]) => names[Number(at)] ?? '');
    const picture = pictures.at(-1);
    const isAnother = edits.length > 0 && named.some((each) => !picture?.names.includes(each));
    if (!picture || (isAnother && picture.names.length > 0))
      pictures.push({ kind: 'edit', edits, names: named });
    else {
      picture.edits.push(...edits);
      picture.names = [...new Set([...picture.names, ...named])];
    }
  }
  return pictures.filter(({ edits }) => edits.length > 0);
}

export function namesPicture(question: string): boolean {
  return question.search(name) >= 0;
}
