import type { SystemReport } from '@switchyard/contract/system';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { useFormat } from '../../lib/format/use-format.ts';
import { useText } from '../../lib/i18n.ts';
import { Section, Values } from './section.tsx';

/** What fills the disk, by kind and by user. */
export function Storage({ storage }: Pick<SystemReport, 'storage'>) {
  const text = useText('system');
  const format = useFormat();
  const { byKind, byUser, foldersTakenAt, foldersComplete, freeBytes } = storage;
  const lead =
    foldersTakenAt === null ? (
      text('storage.measuring')
    ) : (
      <>
        {text(foldersComplete ? 'storage.measured' : 'storage.partly')} <TimeAgo at={foldersTakenAt} />
      </>
    );
  return (
    <Section title={text('storage.title')} lead={lead}>
      <Values
        rows={[
          ...byKind.map(({ kind, bytes, count }): [string, string] => [
            text(`storage.kind.${kind}`),
            count === null
              ? format.bytes(bytes)
              : text('storage.counted', { bytes: format.bytes(bytes), count: format.count(count) }),
          ]),
          ...freeBytes.map(({ folder, bytes }): [string, string] => [
            text('storage.free', { folder }),
            format.bytes(bytes),
          ]),
        ]}
      />
      <h3 className="pt-2 text-table font-semibold">{text('storage.users')}</h3>
      <Values
        rows={byUser.map(({ userId, email, fileBytes, files, threadBytes }) => [
          email ?? userId,
          text('storage.counted', {
            bytes: format.bytes(fileBytes + threadBytes),
            count: format.count(files),
          }),
        ])}
      />
    </Section>
  );
}
