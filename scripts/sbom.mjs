// Prints the list of what is shipped (SBOM, CycloneDX JSON) on standard output: npm's list of the
// lock file, without what only development needs (`npm sbom --omit dev` loses packages that
// development needs as well), and with the libraries inside the embedded PostgreSQL.
//   npm run --silent sbom > shoeprint.cdx.json
import { spawnSync } from 'node:child_process';
import { EMBEDDED, shippedPackages } from './shipped/shipped.mjs';

const { status, stdout, stderr } = spawnSync(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'],
  { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' },
);
if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);

/** @typedef {{ 'bom-ref': string; purl?: string }} Component */
/** @type {{ metadata: { component: Component }; components: Component[]; dependencies: { ref: string; dependsOn: string[] }[] }} */
const bom = JSON.parse(stdout);
const shipped = new Set(
  shippedPackages().map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`),
);
const parts = EMBEDDED.map(({ name, version, license }) => ({
  'bom-ref': `embedded/${name}@${version}`,
  type: 'library',
  name,
  version,
  purl: `pkg:generic/${name}@${version}`,
  licenses: [{ license: { name: license } }],
}));
const packages = bom.components.filter(({ purl = '' }) => shipped.has(purl));
const kept = new Set([...packages, bom.metadata.component].map((each) => each['bom-ref']));
const embedded = packages.filter(({ purl = '' }) => purl.includes('%40embedded-postgres/linux-'));
const dependencies = bom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({
    ref,
    dependsOn: embedded.some((each) => each['bom-ref'] === ref)
      ? parts.map((part) => part['bom-ref'])
      : dependsOn.filter((other) => kept.has(other)),
  }));
const text = JSON.stringify({ ...bom, components: [...packages, ...parts], dependencies }, null, 2);
process.stdout.write(`${text}\n`);
