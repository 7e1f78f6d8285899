import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';
import { describeError } from '../states/error-text.ts';

/** Why the gateway has not taken what was typed. */
export function FormError({ error }: { error: unknown }) {
  const text = useText('forms');
  const words = useGatewayWords();
  const { kind, requestId } = describeError(error);
  return (
    <div role="alert" className="rounded-card bg-failed-tint p-3 text-body">
      <p className="font-medium text-failed">{text(kind === 'unreachable' ? 'unreachable' : 'refused')}</p>
      <p className="break-words">{words.error(error)}</p>
      {requestId && <p className="pt-1 font-mono text-meta break-all text-text-2">{requestId}</p>}
    </div>
  );
}
