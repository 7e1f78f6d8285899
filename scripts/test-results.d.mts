export function reportTo(path: string): string[];
export function closingLine(folder: string): string;
export function failures(folder: string): string[];
