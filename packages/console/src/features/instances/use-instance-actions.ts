import { changeSettings, withoutInstance } from '@switchyard/client/settings-change';
import { testInstance, updateInstance } from '@switchyard/contract/dispatch/instance';
import { replaceSettings, type Settings } from '@switchyard/contract/dispatch/settings';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../kit/toast.tsx';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';

/** What administrators can do with an instance. Each action says what became of it. */
export function useInstanceActions(instanceId: string) {
  const cache = useQueryClient();
  const toast = useToast();
  const words = useGatewayWords();
  const text = useText('instances');
  const refresh = () => cache.invalidateQueries({ queryKey: keys.instances });
  const onError = (error: Error) => toast({ error });
  const params = { instanceId };

  const enable = useMutation({
    mutationFn: ({ enabled, force }: { enabled: boolean; force?: boolean }) =>
      gateway.call(updateInstance, { params, query: force ? { force } : {}, body: { enabled } }),
    onSuccess: async (_, { enabled, force }) => {
      if (!enabled) {
        const undo = () => enable.mutate({ enabled: true });
        toast({ text: text(force ? 'did.stopped' : 'did.drained'), undo });
      }
      await refresh();
    },
    onError,
  });
  const test = useMutation({
    mutationFn: () => gateway.call(testInstance, { params }),
    onSuccess: async ({ ok, ...found }) => {
      toast({ text: words.said(found), tone: ok ? 'done' : 'failed' });
      await refresh();
    },
    onError,
  });
  const remove = useMutation({
    mutationFn: async () => {
      let before: Settings | null = null;
      const after = await changeSettings(gateway, (settings) => {
        before = settings;
        return withoutInstance(settings, instanceId);
      });
      return { before: before as Settings | null, after };
    },
    onSuccess: async ({ before, after }) => {
      toast({
        text: text('did.removed'),
        ...(before && after && { undo: () => restore.mutate({ before, after }) }),
      });
      await refresh();
    },
    onError,
  });
  /** Only the configuration that the removal has left is replaced, so that no other change is lost. */
  const restore = useMutation({
    mutationFn: ({ before, after }: { before: Settings; after: Settings }) =>
      gateway.call(replaceSettings, { body: before, headers: { 'if-match': `"${after.version}"` } }),
    onSuccess: refresh,
    onError,
  });
  return { enable, test, remove };
}
