interface LockedPackage {
  version?: string;
  license?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

export declare function thirdPartyNotices(options: {
  root: string;
  lockfile: { packages: Record<string, LockedPackage> };
  inputs: readonly string[];
}): string;
