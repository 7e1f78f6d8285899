import type { FileFilterQuery } from '@switchyard/contract/dispatch/file';

const maxParams = 10;
const maxTextLength = 500;

/** Reads what a user types to find files. Values and the model stand among the words. What the gateway would refuse, such as signs alone, asks for nothing. */
export function wordsIn(text: string): Pick<FileFilterQuery, 'q' | 'param' | 'model'> {
  const parts = text.slice(0, maxTextLength).split(/\s+/);
  const param = parts.filter((part) => /^[^=]+=./.test(part)).slice(0, maxParams);
  const model = parts.find((part) => /^model:./.test(part))?.slice('model:'.length);
  const q = parts.filter((part) => !/^[^=]+=.|^model:/.test(part)).join(' ');
  return {
    ...(/[\p{L}\p{N}]/u.test(q) && { q }),
    ...(param.length > 0 && { param }),
    ...(model !== undefined && { model }),
  };
}
