export function isNewer(version: string, present: string): boolean;
export function withVersion(text: string, version: string): string;
export function dockerfileWithVersion(text: string, version: string): string;
export function kustomizationWithVersion(text: string, version: string): string;
export function releasedChangelog(text: string, version: string, day: string): string;
export function billOfMaterials(
  notices: string,
  version: string,
): { metadata: object; components: { name: string; version: string; purl: string; licenses: object[] }[] };
export function checksums(folder: string): string;
