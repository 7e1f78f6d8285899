import { useParams } from 'wouter';
import { decodePart } from '../../lib/address.ts';
import { InstanceListPage } from './instance-list-page.tsx';
import { InstancePage } from './instance-page.tsx';

/** `/instances` and `/instances/:instanceId`. */
export function InstancesPage() {
  const { instanceId } = useParams<{ instanceId?: string }>();
  return instanceId === undefined ? (
    <InstanceListPage />
  ) : (
    <InstancePage key={instanceId} instanceId={decodePart(instanceId)} />
  );
}
