interface Chunk {
  file: string;
  name?: string;
  imports?: string[];
  css?: string[];
  assets?: string[];
}

export function weighConsole(
  folder: string,
  manifest: Record<string, Chunk>,
): { lines: string[]; faults: string[] };
