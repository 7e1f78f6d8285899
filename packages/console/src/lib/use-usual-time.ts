import { useQuery } from '@tanstack/react-query';
import { usualNodesQuery } from './data/tasks.ts';
import { useFormat } from './format/use-format.ts';
import { usualTimeOf } from './usual-time.ts';

/** Returns how long the running node of a task usually takes, in words; null while no node runs and when that is not known. */
export function useUsualTime(taskId: string | null, node: string | null): string | null {
  const format = useFormat();
  const { data = [] } = useQuery({
    ...usualNodesQuery(taskId ?? ''),
    enabled: taskId !== null && node !== null,
  });
  const usual = usualTimeOf(data, node);
  if (usual === null) return null;
  const { fromMs, toMs } = usual;
  return fromMs === toMs ? format.duration(toMs) : format.range(fromMs, toMs);
}
