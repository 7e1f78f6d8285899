const safeName = /^[A-Za-z0-9_-]{1,64}$/;

/** Checks an id that becomes the name of a folder, so that no id leads out of the data home. */
export function requireFolderName(what: string, name: string): string {
  if (safeName.test(name)) return name;
  throw new Error(
    `The name of a ${what} becomes the name of a folder: at most 64 letters, digits, "_" and "-".`,
  );
}
