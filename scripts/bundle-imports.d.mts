interface Metafile {
  outputs: Record<string, { imports: { path: string; external?: boolean }[] }>;
}

export function importedPackages(metafile: Metafile): string[];
export function compareExternals(imported: readonly string[], externals: readonly string[]): string[];
