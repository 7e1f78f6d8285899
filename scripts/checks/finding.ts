/** One finding of a check. `line` is 0 when it is about a whole file. */
export interface Finding {
  file: string;
  line: number;
  rule: string;
  found: string;
  fix: string;
}

export function formatFinding({ file, line, rule, found, fix }: Finding): string {
  const place = line > 0 ? `${file}:${line}` : file;
  return `${place}  ${rule}\n    found: ${found}\n    fix:   ${fix}`;
}
