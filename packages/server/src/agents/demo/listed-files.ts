/** A file in what the tool `ls` has answered. */
export interface ListedFile {
  path: string;
  /** Sorts by time; empty where the list does not tell it. */
  changed: string;
}

const line = /^(\/\S.*) \(\d+ bytes(?:, changed ([^)]+))?\)$/;
const picture = /\.(?:png|jpe?g|webp|gif|tiff?|bmp|avif)$/i;

/** The pictures in a list, the newest first. */
export function listedPictures(text: string): ListedFile[] {
  const files = text.split('\n').flatMap((each) => {
    const [, path = '', changed = ''] = line.exec(each) ?? [];
    return picture.test(path) ? [{ path, changed }] : [];
  });
  return files.sort((a, b) => (a.changed < b.changed ? 1 : a.changed > b.changed ? -1 : 0));
}
