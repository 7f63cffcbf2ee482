import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { components } from '#api-types';
import type { MadePackage } from '#export';
import { Refusal } from '../refusal.js';
import { answered, type Api, apiOf, reasonOf, secretFrom } from '../server/server.js';
import type { Exported, PackageOrder } from './command.js';
import { isRefusal } from './refusals.js';
import type { ExportShown } from './shown.js';

const LOOK_MS = 500;
/** A server that is away for longer ends the command. The server continues the export. */
const AWAY_MS_MAX = 60_000;
/** A package that comes slower than this in all is given up. */
const FETCH_MS_MAX = 3_600_000;

type Export = components['schemas']['ExportAnswer'];

/** Has a server make a package, and fetches it. Throws `Refusal` if the server refuses. */
export async function exportFromServer(
  { url, tokenFile }: { readonly url: URL; readonly tokenFile: string | undefined },
  order: PackageOrder,
  shown: ExportShown,
): Promise<Exported> {
  const token = secretFrom(
    tokenFile,
    'SHOEPRINT_TOKEN',
    "no token: pass --token-file or set SHOEPRINT_TOKEN with a person's token; POST /v1/sign-in returns one",
  );
  const api = apiOf(url, token);
  const { asked, purpose, recipient } = order;
  const body = {
    ...structuredClone(asked),
    purpose,
    recipient,
  } as components['schemas']['NewExport'];
  const headers = { 'Idempotency-Key': randomUUID() };
  const begun = await answered(url, api.POST('/v1/exports', { body, params: { header: headers } }));
  const ended = await endOf(api, url, begun, shown);
  if (ended.package === null) {
    const { code, detail } = ended.failure ?? {
      code: 'gone',
      detail: 'somebody removed the export',
    };
    return { isRefused: isRefusal(code), code, detail };
  }
  await fetchPackage(
    new URL(`v1/exports/${ended.id}/package`, url),
    token,
    order.out,
    ended.package,
  );
  return { made: ended.package };
}

/** Resolves once an export is over. */
async function endOf(api: Api, url: URL, begun: Export, shown: ExportShown): Promise<Export> {
  let at = begun;
  for (let seenAt = performance.now(); ['waiting', 'making'].includes(at.state);) {
    shown.at(at.state === 'waiting' ? 'waiting' : (at.step ?? 'sealing'), at.share);
    await delay(LOOK_MS);
    try {
      at = await answered(url, api.GET('/v1/exports/{id}', { params: { path: { id: begun.id } } }));
      seenAt = performance.now();
    } catch (error) {
      if (!(error instanceof Refusal) || performance.now() - seenAt > AWAY_MS_MAX) throw error;
    }
  }
  return at;
}

/** Fetches a package whole or not at all. */
async function fetchPackage(
  from: URL,
  token: string,
  out: string,
  { sha256 }: Pick<MadePackage, 'sha256'>,
): Promise<void> {
  const partly = `${out}.part`;
  try {
    const answer = await fetch(from, {
      redirect: 'error',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(FETCH_MS_MAX),
    });
    if (!answer.ok || !answer.body) throw new Refusal(`${from.href}: answered ${answer.status}`);
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform: (block: Buffer, _encoding, done) => {
        hash.update(block);
        done(null, block);
      },
    });
    await pipeline(Readable.fromWeb(answer.body), hashed, createWriteStream(partly));
    if (hash.digest('hex') !== sha256)
      throw new Refusal(`${from.href}: the package did not arrive as it was made; ask again`);
    await rename(partly, out);
  } catch (error) {
    await rm(partly, { force: true });
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${from.href}: could not be fetched to ${out} (${reasonOf(error)})`);
  }
}
