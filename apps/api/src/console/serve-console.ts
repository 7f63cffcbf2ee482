import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, packageFolder } from '#process';
import type { RouteNeeds } from '../identity/requires.js';
import { Problem } from '../problems/problems.js';

/**
 * React Aria and Observable Plot each add one constant style sheet to the page. These are their
 * hashes. A browser refuses every other.
 */
const STYLES = [
  `'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='`,
  `'sha256-+TfQir1nvDucAdvE6XUQBt4ayUjpAWkbw2kCdSfekHM='`,
];

/** Nothing of the console comes from elsewhere, and no text becomes a script. */
const HEADERS = {
  'Content-Security-Policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' ${STYLES.join(' ')}`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `worker-src 'self'`,
    `manifest-src 'self'`,
    `base-uri 'self'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    'trusted-types shoeprint',
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()',
};

/** The names of these files change with their content. */
const FOREVER = 'public, max-age=31536000, immutable';

const OPEN: { config: RouteNeeds } = { config: { needs: 'nothing' } };

/**
 * Serves the console under `{base}/console/`, and leads there from `{base}/`. Files of `assets` are
 * cached for ever, and an unknown one is 404. Every other address is the page itself, which reads
 * its address. Throws `Refusal` if the console is not built.
 */
export function serveConsole(app: NestFastifyApplication, basePath: string): void {
  const fastify = app.getHttpAdapter().getInstance();
  const folder = join(packageFolder(), 'dist', 'apps', 'console');
  const root = `${basePath}/console`;
  const files = filesOf(folder);
  const page = pageOf(folder, `${root}/`);
  const etag = `"${createHash('sha256').update(page).digest('base64url')}"`;
  // Not awaited: that would start Fastify before Nest has set how errors are answered.
  void fastify.register(fastifyStatic, {
    root: folder,
    serve: false,
    preCompressed: true,
    cacheControl: false,
  });

  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    void reply.headers({ ...HEADERS, 'Cache-Control': 'no-cache', ETag: etag });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page);
  };
  fastify.get(root, OPEN, sendPage);
  fastify.get(`${root}/*`, OPEN, (request, reply) => {
    const { '*': path } = request.params as { readonly '*': string };
    const isAsset = path.startsWith('assets/');
    if (files.has(path))
      return reply
        .headers({ ...HEADERS, 'Cache-Control': isAsset ? FOREVER : 'no-cache' })
        .sendFile(path);
    if (isAsset) throw new Problem('not-found');
    return sendPage(request, reply);
  });
  fastify.get(`${basePath}/`, OPEN, (_request, reply) => reply.redirect(`${root}/`));
}

/** Returns the paths of all files that are served, with `/`. */
function filesOf(folder: string): ReadonlySet<string> {
  try {
    return new Set(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/(\.(br|gz)|index\.html)$/.test(entry.name))
        .map(({ parentPath, name }) =>
          relative(folder, join(parentPath, name)).replaceAll(sep, '/'),
        ),
    );
  } catch (cause) {
    throw new Refusal(`the console is not built: ${folder} cannot be read`, { cause });
  }
}

/** Returns the page, whose relative addresses begin at `root`. */
const pageOf = (folder: string, root: string): string =>
  readFileSync(join(folder, 'index.html'), 'utf8').replace(
    /<base href="[^"]*"/,
    `<base href="${root.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  );
