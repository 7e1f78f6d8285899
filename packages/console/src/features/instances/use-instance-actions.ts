import { changeSettings, withoutInstance } from '@switchyard/client/settings-change';
import { testInstance, updateInstance } from '@switchyard/contract/dispatch/instance';
import { replaceSettings, type Settings } from '@switchyard/contract/dispatch/settings';
import { useAct } from '../../kit/forms/use-act.ts';
import { keys } from '../../lib/data/keys.ts';
import { gateway } from '../../lib/gateway.ts';
import { useGatewayWords } from '../../lib/gateway-words/use-gateway-words.ts';
import { useText } from '../../lib/i18n.ts';

/** Returns the actions of administrators on an instance. Each action shows its result. */
export function useInstanceActions(instanceId: string) {
  const { act, isBusy } = useAct();
  const words = useGatewayWords();
  const text = useText('instances');
  const refresh = [keys.instances];
  const switched = (enabled: boolean, force = false) =>
    gateway.call(updateInstance, {
      params: { instanceId },
      query: force ? { force } : {},
      body: { enabled },
    });
  return {
    isBusy,
    enable: () => act(() => switched(true), { refresh }),
    disable: ({ force = false }: { force?: boolean } = {}) =>
      act(() => switched(false, force), {
        done: text(force ? 'did.stopped' : 'did.drained'),
        undo: () => switched(true),
        refresh,
      }),
    test: () =>
      act(() => gateway.call(testInstance, { params: { instanceId } }), {
        done: ({ ok, ...found }) => ({ text: words.said(found), tone: ok ? 'done' : 'failed' }),
        refresh,
      }),
    remove: () =>
      act(
        async () => {
          let before: Settings | null = null;
          const after = await changeSettings(gateway, (settings) => {
            before = settings;
            return withoutInstance(settings, instanceId);
          });
          return { before: before as Settings | null, after };
        },
        {
          done: ({ before, after }) => ({
            text: text('did.removed'),
            ...(before && after && { undo: () => void act(() => restored(before, after), { refresh }) }),
          }),
          refresh,
        },
      ),
  };
}

/** Only the configuration that the removal has left is replaced, so that no other change is lost. */
function restored(before: Settings, after: Settings) {
  return gateway.call(replaceSettings, { body: before, headers: { 'if-match': `"${after.version}"` } });
}
