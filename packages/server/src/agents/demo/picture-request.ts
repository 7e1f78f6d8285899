import { type Edit, editsIn } from './picture-edits.ts';

/** What is made of pictures: a copy of each with all edits, or one picture of several. */
export interface PictureWish {
  kind: 'edit' | 'contact sheet' | 'blend';
  edits: Edit[];
  /** Names as they were written, or paths; empty where none is named. */
  names: string[];
}

export interface PictureRequest {
  wishes: PictureWish[];
  /** "all pictures" */
  ofAll: boolean;
}

const extension = String.raw`\.(?:png|jpe?g|webp|gif|tiff?|bmp|avif)`;
/** In quotes also with spaces. */
const name = new RegExp(
  `["“']([^"”'\\n]{1,300}${extension})["”']|([^\\s"“”',;:]{1,300}${extension})(?!\\w)`,
  'gi',
);
const borders = /,\s+|;|\.\s|\band\b|\bthen\b|\bas well as\b/;

/** Null for what asks for nothing about pictures. */
export function pictureRequest(question: string): PictureRequest | null {
  const names: string[] = [];
  // A number in a name is no size, and an "and" in one no border.
  const text = question.replace(name, (whole, quoted?: string, bare?: string) => {
    names.push(quoted ?? bare ?? whole);
    return ` <${names.length - 1}> `;
  });
  const ofAll = /\b(?:all|every|each|these|those|them)\b/i.test(text);
  const several = severalOf(text, names);
  if (several) return { wishes: [several], ofAll: ofAll || several.names.length === 0 };
  const wishes = editWishes(text, names);
  return wishes.length === 0 ? null : { wishes, ofAll };
}

function severalOf(text: string, names: string[]): PictureWish | null {
  if (/\bcontact[ -]?sheet\b|\bcollage\b|\bmontage\b|\bgrid of\b/i.test(text)) {
    return { kind: 'contact sheet', edits: [], names };
  }
  if (/\b(?:blend|mix|combine)\b/i.test(text) && names.length === 2) {
    return { kind: 'blend', edits: [], names };
  }
  return null;
}

/** Clause by clause: edits gather until they meet a picture of which something else was asked already. */
function editWishes(text: string, names: readonly string[]): PictureWish[] {
  const wishes: PictureWish[] = [];
  for (const clause of text.replace(/\bblack\s+(?:and|&)\s+white\b/gi, 'grayscale').split(borders)) {
    const edits = editsIn(clause.replace(/<\d+>/g, ' '));
    const named = [...clause.matchAll(/<(\d+)>/g)].map(([, at]) => names[Number(at)] ?? '');
    const wish = wishes.at(-1);
    const isAnother = edits.length > 0 && named.some((each) => !wish?.names.includes(each));
    if (!wish || (isAnother && wish.names.length > 0)) wishes.push({ kind: 'edit', edits, names: named });
    else {
      wish.edits.push(...edits);
      wish.names = [...new Set([...wish.names, ...named])];
    }
  }
  return wishes.filter(({ edits }) => edits.length > 0);
}

export function namesPicture(question: string): boolean {
  return question.search(name) >= 0;
}
