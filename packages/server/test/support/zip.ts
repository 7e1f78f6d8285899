import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  content: Uint8Array;
  stored?: boolean;
  /** What the archive falsely says about itself. */
  claims?: {
    sizeBytes?: number;
    crc?: number;
    flags?: number;
    headerAt?: number;
    method?: number;
    /** Type and permissions, as Unix writes them. */
    mode?: number;
  };
}

/** What the end record falsely says about the directory. */
interface EndClaims {
  count?: number;
  directoryBytes?: number;
  directoryAt?: number;
}

/** Writes an archive as any program does, or as none would. */
export function zip(entries: readonly ZipEntry[], comment = '', claims: EndClaims = {}): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, stored = false, claims = {} } of entries) {
    const packed = stored ? content : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(claims.flags ?? 0x800, 2);
    common.writeUInt16LE(claims.method ?? (stored ? 0 : 8), 4);
    common.writeUInt32LE(claims.crc ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claims.sizeBytes ?? content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt16LE(claims.mode ?? 0, 8);
    tail.writeUInt32LE(claims.headerAt ?? at, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, tail, Buffer.from(name));
    const file = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed]);
    files.push(file);
    at += file.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  const count = claims.count ?? entries.length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(claims.directoryBytes ?? listed.length, 12);
  end.writeUInt32LE(claims.directoryAt ?? at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...files, listed, end, Buffer.from(comment)]);
}
