/** One thing that a check has to say. `line` is 0 where the finding is about a whole file. */
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
