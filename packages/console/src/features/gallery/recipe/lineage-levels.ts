import type { FileLineage, LineageFile } from '@switchyard/contract/dispatch/lineage';

/** The files of a lineage by generation, the oldest first. */
export function lineageLevels({
  files,
}: Pick<FileLineage, 'files'>): { level: number; files: LineageFile[] }[] {
  const levels = new Map<number, LineageFile[]>();
  for (const file of files) {
    const present = levels.get(file.level);
    if (present) present.push(file);
    else levels.set(file.level, [file]);
  }
  return [...levels].sort(([a], [b]) => a - b).map(([level, ofLevel]) => ({ level, files: ofLevel }));
}
