import type { RunStatus } from '@switchyard/contract/conversation/run';
import { type StatusKind, StatusWord } from '../../kit/status-word.tsx';
import { useText } from '../../lib/i18n.ts';

const kinds: Record<RunStatus, StatusKind> = {
  pending: 'waiting',
  running: 'running',
  success: 'done',
  error: 'failed',
  timeout: 'failed',
  interrupted: 'paused',
};

export function RunStatusWord({ status, tinted }: { status: RunStatus; tinted?: boolean }) {
  const text = useText('runs');
  return (
    <StatusWord kind={kinds[status]} tinted={tinted}>
      {text(`status.${status}`)}
    </StatusWord>
  );
}
