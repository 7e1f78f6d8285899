/** Packs the gateway, installs the file in the folder, and returns the folder of the installed package. */
export function installPackage(folder: string): string;
/** Returns the folder, which has Node, npm and a shell. */
export function nodeAlone(folder: string): string;
