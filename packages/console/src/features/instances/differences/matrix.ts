import type { InstanceDetail } from '@switchyard/contract/dispatch/instance';

export interface MatrixRow {
  kind: 'node' | 'model';
  name: string;
  /** The input that chooses the model: `CheckpointLoader.ckpt_name`. Empty for nodes. */
  place: string;
  /** In the order of the instances; null when nothing is known of the instance yet. */
  has: (boolean | null)[];
}

type Compared = Pick<InstanceDetail, 'id' | 'capabilities'>;

/** Which instance has which node class and model file. With `onlyDifferences` rows that all known instances have are left out. */
export function capabilityMatrix(instances: readonly Compared[], onlyDifferences: boolean): MatrixRow[] {
  const rows = [...rowsOf(instances, 'node', nodesOf), ...rowsOf(instances, 'model', modelsOf)];
  if (!onlyDifferences) return rows;
  return rows.filter(({ has }) => has.includes(false));
}

function rowsOf(
  instances: readonly Compared[],
  kind: MatrixRow['kind'],
  offersOf: (instance: Compared) => string[],
): MatrixRow[] {
  const offers = instances.map((instance) =>
    instance.capabilities.known ? new Set(offersOf(instance)) : null,
  );
  const all = new Set(offers.flatMap((offer) => [...(offer ?? [])]));
  return [...all].sort().map((key) => {
    const [place = '', name = key] = kind === 'model' ? key.split('\n') : ['', key];
    return { kind, name, place, has: offers.map((offer) => offer?.has(key) ?? null) };
  });
}

function nodesOf({ capabilities }: Compared): string[] {
  return capabilities.nodeClasses;
}

/** The place and the file, apart by a line break, which neither of them has. */
function modelsOf({ capabilities }: Compared): string[] {
  return Object.entries(capabilities.models).flatMap(([place, files]) =>
    files.map((file) => `${place}\n${file}`),
  );
}

/** The matrix as a table for spreadsheets. A cell never begins with a sign that a spreadsheet takes for a formula. */
export function matrixCsv(rows: readonly MatrixRow[], names: readonly string[]): string {
  const cell = (text: string) => `"${(/^[=+\-@\t]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const mark = (has: boolean | null) => (has === null ? '' : has ? '1' : '0');
  const lines = rows.map(({ kind, name, place, has }) => [kind, name, place, ...has.map(mark)]);
  return [['kind', 'name', 'place', ...names], ...lines].map((line) => line.map(cell).join(',')).join('\r\n');
}
