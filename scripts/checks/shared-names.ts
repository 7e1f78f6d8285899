import type { Finding } from './finding.ts';
import { type CountedFile, findSharedNames, maxOwnersOfName } from './numbers.ts';

/** Finds exported functions and types whose names stand in so many files that they do not tell them apart. */
export function findCommonNames(files: readonly CountedFile[]): Finding[] {
  const product = files.filter(({ isTest }) => !isTest);
  return findSharedNames(product)
    .filter(({ owners }) => owners.length > maxOwnersOfName)
    .flatMap(({ name, owners }) =>
      owners.map(({ path, line }) => ({
        file: path,
        line,
        rule: 'names-say-their-subject',
        found: `${name} is exported by ${owners.length} files, and at most ${maxOwnersOfName} are allowed`,
        fix: 'name it after its subject: messageText, errorText',
      })),
    );
}
