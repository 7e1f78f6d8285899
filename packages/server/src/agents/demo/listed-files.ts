/** A file in the answer of the tool `ls`. */
export interface ListedFile {
  path: string;
  /** A time by which files can be sorted; empty when the list does not show it. */
  changed: string;
}

const line = /^(\/\S.*) \(\d+ bytes(?:, changed ([^)]+))?\)$/;
const picture = /\.(?:png|jpe?g|webp|gif|tiff?|bmp|avif)$/i;

/** Returns the pictures in a list, the newest first. */
export function listedPictures(text: string): ListedFile[] {
  const files = text.split('\n').flatMap((each) => {
    const [, path = '', changed = ''] = line.exec(each) ?? [];
    return picture.test(path) ? [{ path, changed }] : [];
  });
  return files.sort((a, b) => (a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : 0));
}
