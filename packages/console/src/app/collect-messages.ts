/** The texts of one namespace, nested as the file has them. */
export interface Texts {
  [key: string]: string | Texts;
}

/** Puts message files together by namespace: the folder that holds their folder `messages`. */
export function collectMessages(files: Record<string, Texts>): Texts {
  return Object.fromEntries(Object.entries(files).map(([path, texts]) => [namespaceOf(path), texts]));
}

function namespaceOf(path: string): string {
  const [namespace] = path.split('/').slice(-3);
  return namespace ?? path;
}
