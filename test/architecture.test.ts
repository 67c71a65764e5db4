import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { questionTypes } from '../src/questions/index.ts'

/** The files and folders that each file or folder may import. */
const allowed: Record<string, string[]> = {
  'src/main.ts': ['src/main.mjs'],
  'src/main.mjs': ['src/command'],
  'src/command': ['src/backup', 'src/bootstrap.ts', 'src/config.ts', 'src/db', 'src/domain', 'src/lib', 'src/worker'],
  'src/bootstrap.ts': [
    'src/app.ts',
    'src/probe.ts',
    'src/metrics.ts',
    'src/observe.ts',
    'src/api',
    'src/config.ts',
    'src/db',
    'src/domain',
    'src/lib',
    'src/worker',
  ],
  'src/app.ts': [
    'src/api',
    'src/api/versions.ts',
    'src/oauth',
    'src/web',
    'src/middleware.ts',
    'src/probe.ts',
    'src/docs.ts',
    'src/domain',
    'src/lib',
  ],
  'src/docs.ts': ['src/lib'],
  'src/probe.ts': ['src/lib', 'src/metrics.ts'],
  'src/metrics.ts': ['src/lib'],
  'src/observe.ts': ['src/domain', 'src/lib', 'src/metrics.ts'],
  'src/middleware.ts': ['src/lib', 'src/web'],
  'src/config.ts': ['src/lib', 'src/settings.ts'],
  'src/settings.ts': ['src/lib'],
  'src/api/versions.ts': readdirSync('src/api')
    .filter((name) => /^v\d+$/.test(name))
    .map((name) => `src/api/${name}`),
  'src/api/v2': ['src/api', 'src/domain', 'src/lib', 'generated/v2'],
  'src/api/v3': ['src/api', 'src/domain', 'src/lib', 'generated/v3'],
  'src/api': ['src/domain', 'src/lib'],
  'src/oauth': ['src/domain', 'src/lib'],
  'src/web': ['src/domain', 'src/questions', 'src/lib', 'src/texts'],
  'src/worker': ['src/domain', 'src/lib'],
  'src/db': ['src/domain', 'src/lib'],
  'src/backup': ['src/db', 'src/lib'],
  'src/domain': ['src/questions', 'src/lib', 'src/texts'],
  'src/questions': ['src/domain', 'src/lib'],
  'src/lib': ['src/texts'],
  'src/texts': [],
}

/**
 * The folders of the domain, one per row. A folder may import only folders above it in this list. Every folder may
 * import the files directly in `src/domain`, and these files may import only types from the folders. The list of
 * entities is an exception: it imports all folders, and the domain imports only the type of this list.
 */
const domainFolders = [
  'structure',
  'text',
  'security',
  'account',
  'image',
  'theme',
  'oauth',
  'group',
  'survey',
  'collector',
  'identity',
  'file',
  'response/filter',
  'rollup',
  'response/submit',
  'response/edit',
  'response/feed',
  'response/list',
  'response/coding',
  'response/export',
  'response/import',
  'response',
  'notification',
  'webhook',
  'contact',
  'invitation',
  'respondent',
  'rehearsal',
  'report',
  'moving',
  'email',
  'account-data',
  'administration',
  'sandbox-tasks',
]
const entities = 'src/domain/entities.ts'

const layers = [...Object.keys(allowed), 'generated/v2', 'generated/v3'].sort((a, b) => b.length - a.length)
const layerOf = (path: string) => layers.find((layer) => path === layer || path.startsWith(`${layer}/`))

const files = globSync('{src,test,scripts,tools}/**/*.ts').filter((file) => !file.includes('/migrations/'))
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const imports = files
  .filter((file) => file.startsWith('src/'))
  .flatMap((file) =>
    [...text.get(file)!.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, to]) => [
      file,
      normalize(join(dirname(file), to!)),
    ]),
  )
const typeImports = new Set(
  files.flatMap((file) =>
    [...text.get(file)!.matchAll(/^(?:import|export) type [^;']*? from '(\.[^']+)'/gm)].map(
      ([, to]) => `${file} ${normalize(join(dirname(file), to!))}`,
    ),
  ),
)

/**
 * Returns the position of the folder of a file in the list of folders of the domain; -1 for a file directly in
 * `src/domain`.
 */
function domainPosition(path: string): number {
  const folder = dirname(path).replace(/^src\/domain\/?/, '')
  if (!folder) return -1
  const index = domainFolders.findLastIndex(
    (name) => folder === name || (name !== 'response' && folder.startsWith(`${name}/`)),
  )
  return index === -1 ? Number.NaN : index
}

/** Returns the groups of files that reach each other through imports (strongly connected components; Tarjan). */
function circlesOf(targets: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const numbers = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []
  function visit(file: string): number {
    const number = numbers.size
    numbers.set(file, number)
    path.push(file)
    let lowest = number
    for (const target of targets.get(file)!) {
      if (!numbers.has(target)) lowest = Math.min(lowest, visit(target))
      else if (path.includes(target)) lowest = Math.min(lowest, numbers.get(target)!)
    }
    if (lowest === number) {
      const circle = path.splice(path.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return lowest
  }
  for (const file of targets.keys()) if (!numbers.has(file)) visit(file)
  return circles
}

describe('architecture', () => {
  it('has only the imports that the table of this test allows', () => {
    expect(imports.length).toBeGreaterThan(100)
    const forbidden = imports.filter(([from, to]) => {
      const [source, target] = [layerOf(from!), layerOf(to!)]
      return !source || !target || (source !== target && !allowed[source]!.includes(target))
    })
    expect(forbidden).toEqual([])
  })

  it('has imports between folders of the domain only in the order of the list', () => {
    const within = imports.filter(([from, to]) => [from, to].every((path) => path!.startsWith('src/domain/')))
    expect(within.length).toBeGreaterThan(100)
    const folders = new Set(within.flat().map((path) => domainPosition(path!)))
    expect(folders).not.toContain(Number.NaN)
    const forbidden = within.filter(([from, to]) => {
      const [source, target] = [domainPosition(from!), domainPosition(to!)]
      if (to === entities || (source === -1 && target > -1 && from !== entities))
        return !typeImports.has(`${from} ${to}`)
      if (from === entities) return false
      return target > source
    })
    expect(forbidden).toEqual([])
  })

  it('has no circle of imports by value', () => {
    const values = new Map(
      files
        .filter((file) => file.startsWith('src/'))
        .map((file) => [
          file,
          imports.filter(([from, to]) => from === file && !typeImports.has(`${from} ${to}`)).map(([, to]) => to!),
        ]),
    )
    // Removes the files that import only removed ones until nothing changes; what remains is on a circle or leads to one.
    for (let before = -1; before !== values.size; ) {
      before = values.size
      for (const [file, targets] of values) if (!targets.some((target) => values.has(target))) values.delete(file)
    }
    expect([...values.keys()]).toEqual([])
  })

  it('names question types in their own files only', () => {
    const names = Object.keys(questionTypes)
    // A name with a hyphen is that of a question type wherever it is quoted; other names are those of other things too.
    const quoted = names.filter((name) => name.includes('-')).join('|')
    const naming = new RegExp(
      `(?<!idname: )'(?:${quoted})'|(?:question\\.kind|idname\\)?) [!=]== '(?:${names.join('|')})'`,
      'g',
    )
    // XLSForms, the gallery and the demo write structures.
    const writers =
      /^src\/(?:(?:web\/)?questions|domain\/survey\/gallery|domain\/structure\/xlsform|domain\/moving|command\/demo)/
    const places = files
      .filter((file) => file.startsWith('src/') && !writers.test(file))
      .flatMap((file) => [...text.get(file)!.matchAll(naming)].map(([name]) => `${file} ${name}`))
    expect(places).toEqual([])
  })

  it('has rooms for machinery, with a short README and at most six functions that the rest of the product knows', () => {
    const rooms = ['src/db/embedded', 'src/db/replicas', 'src/db/processes', 'src/db/citus', 'src/domain/rollup']
    for (const room of rooms) {
      const lines = readFileSync(`${room}/README.md`, 'utf8').split('\n').length - 1
      expect([room, lines <= 15]).toEqual([room, true])
      const known = files
        .filter((file) => file.startsWith('src/') && !file.startsWith(room))
        .flatMap((file) =>
          [...text.get(file)!.matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)]
            .filter(([, , to]) => normalize(join(dirname(file), to!)).startsWith(`${room}/`))
            .flatMap(([, names]) => names!.split(',').map((name) => name.trim()))
            .filter((name) => /^[a-z]/.test(name) && !name.startsWith('type ')),
        )
      expect([room, [...new Set(known)].sort().slice(6)]).toEqual([room, []])
    }
  })

  it('has at most two circles of imports, types included', () => {
    const targets = new Map(files.filter((file) => file.startsWith('src/')).map((file) => [file, new Set<string>()]))
    for (const [from, to] of imports) if (targets.has(to!)) targets.get(from!)!.add(to!)
    expect(
      circlesOf(targets)
        .map((circle) => circle.slice(0, 5))
        .slice(2),
    ).toEqual([])
  })

  it('uses no HTTP, generated types, clock or environment in the domain', () => {
    const violations = files
      .filter((file) => file.startsWith('src/domain/'))
      .filter((file) => /from 'koa|generated\/|new Date\(\)|Date\.now\(\)|process\.env/.test(text.get(file)!))
    expect(violations).toEqual([])
  })

  it('changes no member of the services after their creation', () => {
    const changing = files.filter((file) => file.startsWith('src/') && /\bservices\.\w+ = /.test(text.get(file)!))
    expect(changing).toEqual([])
  })

  it('loads the SDK of OpenTelemetry only if traces are recorded', () => {
    const loading = files.filter((file) => /^import (?!type).*'@opentelemetry\/(?!api')/ms.test(text.get(file)!))
    expect(loading).toEqual(['src/lib/open-telemetry.ts'])
    const importing = files.filter((file) => /from '[^']*open-telemetry\.ts'/.test(text.get(file)!))
    expect(importing).toEqual([])
  })

  it('has files of at most 450 lines and no catch-all file names', () => {
    const lines = (file: string) => (text.get(file) ?? readFileSync(file, 'utf8')).split('\n').length - 1
    const others = globSync([
      'src/**/*.{css,js}',
      'tools/**/*.py',
      'scripts/**/*.py',
      'sdk/*/{src,test,examples}/**/*.{py,ts}',
    ])
    expect(others.length).toBeGreaterThan(40)
    expect([...files, ...others].filter((file) => lines(file) > 450)).toEqual([])
    expect(files.filter((file) => /(utils?|helpers?|services(?=\/)|managers?|common)(\/|\.ts$)/.test(file))).toEqual([])
  })

  it('has lines of at most 120 columns in the pages, also in markup', () => {
    // A text for translators and a regular expression are one literal, which cannot be broken.
    const isLiteral = (line: string) => /^(\w+: )?('([^'\\]|\\.)*'|\/.*\/),?\)*,?$/.test(line.trim())
    const long = files
      .filter((file) => file.startsWith('src/web/'))
      .flatMap((file) =>
        text
          .get(file)!
          .split('\n')
          .map((line, index) => ({ place: `${file}:${index + 1}`, line })),
      )
      .filter(({ line }) => line.length > 120 && !isLiteral(line))
    expect(long.map(({ place }) => place)).toEqual([])
  })

  it('reads the environment only in configuration files', () => {
    const readers = files.filter((file) => file.startsWith('src/') && /process\.env/.test(text.get(file)!))
    expect(readers.sort()).toEqual(['src/config.ts', 'src/db/orm.config.ts', 'src/lib/postgres-url.ts'])
  })
})
