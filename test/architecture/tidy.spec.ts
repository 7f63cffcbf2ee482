import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const text = (file: string): string => readFileSync(file, 'utf8');

/** Every file that git tracks or would track. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'])
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const SOURCES = FILES.filter((file) => /\.(ts|mjs)$/.test(file));
const PROGRAMS = SOURCES.filter((file) => /^(apps|libs)\//.test(file));

/** Returns the lines of the files that `is` matches, as `file:line: text`. */
const linesThat = (files: readonly string[], is: (line: string) => boolean): string[] =>
  files.flatMap((file) =>
    text(file)
      .split('\n')
      .flatMap((line, at) => (is(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  );

/** Returns the symbols that a file declares and exports, and whether a doc comment describes each. */
function exportsOf(file: string): { file: string; name: string; described: boolean }[] {
  const source = ts.createSourceFile(file, text(file), ts.ScriptTarget.Latest, true);
  return source.statements.filter(isExported).flatMap((statement) => {
    const described = ts.getJSDocCommentsAndTags(statement).length > 0;
    return namesOf(statement).map((name) => ({ file, name, described }));
  });
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { readonly name?: ts.Node };
  return name === undefined ? [] : [name.getText()];
}

const EXPORTED = PROGRAMS.flatMap(exportsOf);

describe('a line', () => {
  /** Prettier breaks no string, template, regular expression or test title. A URL in a comment stays whole. */
  const UNBREAKABLE =
    /^\s*(import |export .* from |it\(|describe\(|.*https?:\/\/\S{40})|[`'"/]\S*$/;

  it('has at most 100 columns in every source, unless it ends with a text that Prettier cannot break', () => {
    const wide = linesThat(SOURCES, (line) => line.length > 100 && !UNBREAKABLE.test(line));
    expect(wide).toEqual([]);
  });

  it('has at most 160 columns in the contract', () => {
    expect(linesThat(['docs/contract.md'], (line) => line.length > 160)).toEqual([]);
  });
});

describe('a name', () => {
  const VAGUE = /^(utils?|helpers?|common|shared|misc)$/i;
  const words = (name: string): string[] => name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/);

  it('says what a file or folder is about', () => {
    expect(FILES.filter((file) => words(file).some((word) => VAGUE.test(word)))).toEqual([]);
  });

  it('says what an exported symbol is about', () => {
    const vague = EXPORTED.filter(({ name }) => words(name).some((word) => VAGUE.test(word)));
    expect(vague).toEqual([]);
  });

  /** The app or library that a file is part of, such as `libs/audit`. */
  const partOf = (file: string): string => file.split('/').slice(0, 2).join('/');

  it('is exported from one source file only in each app and library', () => {
    const files: Record<string, Set<string>> = Object.create(null);
    for (const { file, name } of EXPORTED)
      (files[`${name} in ${partOf(file)}`] ??= new Set()).add(file);
    const twice = Object.entries(files).filter(([, { size }]) => size > 1);
    expect(twice.map(([name, from]) => `${name}: ${[...from].join(', ')}`)).toEqual([]);
  });

  it('has one meaning at the front doors of the apps and libraries', () => {
    const doors: Record<string, Set<string>> = Object.create(null);
    for (const door of PROGRAMS.filter((file) => /^(apps|libs)\/[^/]+\/src\/index\.ts$/.test(file)))
      for (const name of namesAtDoor(door)) (doors[name] ??= new Set()).add(partOf(door));
    expect(Object.keys(doors).length).toBeGreaterThan(300);
    const twice = Object.entries(doors).filter(([, { size }]) => size > 1);
    expect(twice.map(([name, from]) => `${name}: ${[...from].join(', ')}`)).toEqual([]);
  });

  it('is imported by tests from the front door, if it can be used from there', () => {
    const past = SOURCES.filter((file) => file.startsWith('test/')).flatMap((file) =>
      [
        ...text(file).matchAll(
          /import \{([^}]*)\} from '(?:\.\.\/)+((?:apps|libs)\/[^/']+)\/src\//g,
        ),
      ].flatMap(([, names = '', part = '']) =>
        names.split(',').flatMap((name) => {
          const value = name.trim().replace(/ as .*/, '');
          return value !== '' && valuesAtDoor(part).includes(value)
            ? [`${file}: ${value} of ${part}`]
            : [];
        }),
      ),
    );
    expect(past).toEqual([]);
  });

  /** The names that a part lists at its front door, without those that are types there. */
  const valuesAtDoor = (part: string): string[] => {
    const door = `${part}/src/index.ts`;
    return !existsSync(door)
      ? []
      : [...text(door).matchAll(/export \{([^}]*)\}/g)].flatMap(([, names = '']) =>
          names.split(',').map((name) => name.trim()),
        );
  };

  /** The names that an index exports: those that it lists, and all of a file that it passes on whole. */
  function namesAtDoor(door: string): string[] {
    const folder = door.slice(0, -'index.ts'.length);
    const listed = [...text(door).matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim().replace(/^type |.* as /g, '')),
    );
    const whole = [...text(door).matchAll(/export \* from '\.\/(.*)\.js'/g)].flatMap(([, path]) =>
      EXPORTED.filter(({ file }) => file === `${folder}${path}.ts`).map(({ name }) => name),
    );
    const declared = EXPORTED.filter(({ file }) => partOf(file) === partOf(door));
    return [...listed, ...whole].filter((name) => declared.some((each) => each.name === name));
  }
});

describe('a sentence', () => {
  /** Words and turns that docs/style.md rules out. */
  const PHRASES =
    /\b(whoever|besides|anew|elsewise|thereof|(?<!there )(is none|are none|is no (?!longer))|nobody tells?|is told|are told)\b/i;
  const code = SOURCES.filter((file) => !file.startsWith('test/architecture/'));

  it('uses no phrase that docs/style.md rules out', () => {
    expect(linesThat(code, (line) => PHRASES.test(line))).toEqual([]);
  });

  it('describes every exported symbol of the apps and libraries', () => {
    const silent = EXPORTED.filter(({ described }) => !described);
    expect(silent.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });
});

describe('package.json', () => {
  const manifest = JSON.parse(text('package.json')) as {
    readonly overrides: Record<string, string | Record<string, string>>;
    readonly allowScripts: Record<string, boolean>;
  };
  const page = text('docs/decisions/0011-pinned-packages-and-blocked-scripts.md');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const first = (line: string): string[] =>
    [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => String(name));

  it('has exactly the overrides and blocked scripts that decision 11 gives a reason for', () => {
    const overridden = Object.entries(manifest.overrides).flatMap(([name, to]) =>
      typeof to === 'string' ? [name] : Object.keys(to),
    );
    const wanted = [...overridden, ...Object.keys(manifest.allowScripts)];
    expect(rows.flatMap(first).sort()).toEqual(wanted.sort());
  });
});
