import { getComfyuiPage, openComfyuiPage } from '@switchyard/contract/doors/comfyui-page';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { Button } from '../../kit/button.tsx';
import { useAct } from '../../kit/forms/use-act.ts';
import { gateway } from '../../lib/gateway.ts';
import { useText } from '../../lib/i18n.ts';

/** Opens the page of ComfyUI in front of the pool, with a workflow where one is given. It is shown when that page has an origin. */
export function OpenInComfyui({ workflowId }: { workflowId?: string }) {
  const text = useText('workflows');
  const { act, isBusy } = useAct();
  const page = useQuery({
    queryKey: ['comfyui-page'],
    queryFn: ({ signal }) => gateway.call(getComfyuiPage, { signal }),
    // Only a start of the gateway changes it.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!page.data?.available) return null;
  const open = () =>
    act(() => gateway.call(openComfyuiPage, { body: workflowId === undefined ? {} : { workflowId } }), {
      onDone: ({ url }) => window.location.assign(url),
    });
  return (
    <Button icon={<ExternalLink size={16} aria-hidden />} isBusy={isBusy} onClick={() => void open()}>
      {text('openInComfyui')}
    </Button>
  );
}
