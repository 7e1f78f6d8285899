import type { Addition } from './message-blocks.ts';

/** The JSON text of a piece of a message, without the text that the piece adds. */
export interface PieceForm {
  kind: 'text' | 'reasoning';
  before: string;
  after: string;
}

/** Returns null when the piece adds anything but one text, or when this text stands in it more than once. */
export function formOf(piece: string, additions: readonly Addition[]): PieceForm | null {
  const [only, further] = additions;
  if (!only || further || (only.kind !== 'text' && only.kind !== 'reasoning')) return null;
  const [before = '', after, again] = piece.split(JSON.stringify(only.text));
  return after === undefined || again !== undefined ? null : { kind: only.kind, before, after };
}

/** Returns what a piece of this form adds, as JSON text; undefined for a piece that differs in anything else. */
export function addedIn(piece: string, { before, after }: PieceForm): string | undefined {
  // Most of a piece stands behind its text. Slices are compared several times as fast as `endsWith` compares.
  if (!piece.startsWith(before) || piece.slice(-after.length) !== after) return undefined;
  const added = piece.slice(before.length, -after.length);
  return oneText.test(added) ? added : undefined;
}

const oneText = /^"(?:[^"\\]|\\.)*"$/;
