import { type Static, Type } from 'typebox';
import {
  anyKeys,
  type EntrySection,
  flag,
  number,
  oneOf,
  readEntries,
  required,
  text,
  textMap,
  texts,
  withDefault,
} from './entries.ts';

const kinds = ['telegram', 'http'] as const;
const maxSenders = 1_000;
const senderId = /^\S{1,256}$/;
const namedSenderId = /^(?!\*$)\S{1,256}$/;
const account = /^[^\s]{1,320}$/;
/** Standard Webhooks asks for 24 to 64 bytes, which are 32 to 86 characters. */
const signingSecret = /^whsec_[A-Za-z0-9+/]{32,86}=*$/;

/** The keys of an entry of `channels`. */
const channelSchema = Type.Object({
  /** Part of the address under which the channel is called, and of the metadata by which its threads are found. */
  name: required(
    text(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be a name of small letters, digits, _ and -'),
    'the channel is called by it',
  ),
  type: required(oneOf(kinds), `it must be one of ${kinds.join(', ')}`),
  enabled: withDefault(true, flag),
  /** The account that allowed senders act as: its e-mail address or its id. */
  user: text(account, 'must be the e-mail address or the id of an account'),
  /** Accounts for individual senders, keyed by the sender's id in the channel. */
  users: withDefault(
    {},
    textMap(
      { from: namedSenderId, to: account },
      'must map ids of senders to e-mail addresses or ids of accounts',
      maxSenders,
    ),
  ),
  /** Senders that may act as `user`; `*` admits everyone who can reach the channel. */
  allowed_users: withDefault(
    [],
    texts(senderId, 'must be a list of ids of senders, written ["12345"], or ["*"] for everybody', {
      maxItems: maxSenders,
      takesNumbers: true,
    }),
  ),
  assistant: withDefault(
    'lead_agent',
    text(/^\S{1,256}$/, 'must be the name of an agent or the id of an assistant'),
  ),
  /** Merged over the context with which runs of channels begin. */
  context: withDefault({}, anyKeys('must hold keys')),
  /** Maximum number of steps in a run. */
  recursion_limit: withDefault(100, number({ minimum: 1, maximum: 10_000, isWhole: true })),
  /** Maximum size of a file in either direction. */
  max_file_bytes: withDefault(
    20 * 1024 * 1024,
    number({ minimum: 1_024, maximum: 50 * 1024 * 1024, isWhole: true }),
  ),
  /** Telegram only: the token of the bot. */
  token: text(
    /^\d{1,20}:[A-Za-z0-9_-]{20,128}$/,
    'must be the token that BotFather gave, <digits>:<letters>',
  ),
  base_url: withDefault(
    'https://api.telegram.org',
    text(/^https?:\/\/[^\s@/]+$/, 'must be scheme, host and port only, such as https://api.telegram.org'),
  ),
  /** True when the bot also answers in groups, where every member reads the answers. */
  groups: withDefault(false, flag),
  /** True when an answer is shown while it is written. */
  stream: withDefault(true, flag),
  edit_interval_ms: withDefault(1_500, number({ minimum: 50, maximum: 60_000, isWhole: true })),
  /** HTTP channels only: signs messages in both directions. */
  secret: text(signingSecret, 'must be whsec_ and 24 to 64 bytes in base64'),
  /** HTTP channels only: where the answers are sent. */
  url: text(/^https?:\/\/[^\s@]{1,2000}$/, 'must be an http or https address without a user'),
  /** True when the channel may call loopback and private networks. */
  private_addresses: withDefault(false, flag),
});

/** One entry of `channels`. */
export type ChannelConfig = Static<typeof channelSchema>;

/** A list of channels, or a map from their names. Throws a RangeError that says which entry and key, and never a value. */
export function readChannels(data: unknown): ChannelConfig[] {
  const channels = readEntries(data, {
    what: 'channels',
    maxEntries: 20,
    schema: channelSchema,
    check: (channel, { place, section }) => {
      refuseKeysOfOthers(place, section, channel.type);
      requireComplete(place, channel);
    },
  });
  refuseShared(channels);
  return channels;
}

/**
 * A secret must not be shared, because a message signed for one channel must not count in another. A bot token must not
 * be shared, because only one reader can fetch a bot's messages.
 */
function refuseShared(channels: readonly ChannelConfig[]): void {
  for (const key of ['secret', 'token'] as const) {
    for (const [index, channel] of channels.entries()) {
      const other = channels
        .slice(0, index)
        .find((before) => before[key] !== null && before[key] === channel[key]);
      if (other)
        throw new RangeError(
          `.${channel.name}.${key} is the same as that of ${other.name}; each needs its own`,
        );
    }
  }
}

/** Shows secrets as `***`. The context may hold secrets too, so only the names of its keys are shown. */
export function maskedChannels(channels: readonly ChannelConfig[]): object[] {
  return channels.map((channel) => ({
    ...channel,
    context: Object.fromEntries(Object.keys(channel.context).map((name) => [name, '***'])),
    token: channel.token === null ? null : '***',
    secret: channel.secret === null ? null : '***',
  }));
}

/** Keys that only one type of channel understands. */
const keysOf = {
  telegram: ['token', 'base_url', 'groups', 'stream', 'edit_interval_ms'],
  http: ['secret', 'url', 'private_addresses'],
} as const;

function refuseKeysOfOthers(place: string, entry: EntrySection, type: ChannelConfig['type']): void {
  for (const [kind, keys] of Object.entries(keysOf)) {
    const foreign = kind === type ? undefined : keys.find((key) => Object.hasOwn(entry, key));
    if (foreign)
      throw new RangeError(`${place}.${foreign} is for channels of type ${kind}; leave it out here`);
  }
}

/**
 * A forgotten key must not let anyone in: a channel has to name its accounts, and the senders that may use a shared
 * one.
 */
function requireComplete(place: string, channel: ChannelConfig): void {
  const { type, user, users, allowed_users: allowed } = channel;
  if (type === 'telegram' && channel.token === null)
    throw new RangeError(`${place}.token is missing; BotFather gives one`);
  if (type === 'http' && channel.secret === null)
    throw new RangeError(`${place}.secret is missing; messages are signed with it`);
  if (type === 'http' && channel.url === null)
    throw new RangeError(`${place}.url is missing; answers are sent there`);
  if (user === null && Object.keys(users).length === 0)
    throw new RangeError(`${place}.user is missing; name the account to act as, or give users`);
  if (user !== null && allowed.length === 0)
    throw new RangeError(`${place}.allowed_users is missing; list the senders that may act as ${place}.user`);
  if (user === null && allowed.length > 0)
    throw new RangeError(
      `${place}.allowed_users is for ${place}.user, which is missing; senders in users are allowed`,
    );
}
