const unitBytes = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 } as const;
/**
 * Reads `512B`, `10KB`, `2MB`, `1GB` or a plain number of bytes. A KB is 1,024 bytes. Throws a RangeError that says
 * what to write.
 */
export function parseSize(text: string): number {
  const match = /^(\d{1,15})\s?(B|KB|MB|GB|TB)?$/i.exec(text.trim());
  if (!match) {
    throw new RangeError(
      `"${text}" is not a size; write a whole number and a unit: 512B, 10KB, 2MB or 1GB (1 KB is 1,024 bytes)`,
    );
  }
  const sizeBytes = Number(match[1]) * unitBytes[(match[2] ?? 'B').toUpperCase() as keyof typeof unitBytes];
  if (!Number.isSafeInteger(sizeBytes)) throw new RangeError(`"${text}" is too large for a size`);
  return sizeBytes;
}

/** Writes bytes in the largest unit that keeps them whole, so that parsing it gives the same number back. */
export function formatSize(sizeBytes: number): string {
  const units = (['TB', 'GB', 'MB', 'KB'] as const).filter((unit) => sizeBytes % unitBytes[unit] === 0);
  const unit = sizeBytes === 0 ? 'B' : (units[0] ?? 'B');
  return `${sizeBytes / unitBytes[unit]}${unit}`;
}
