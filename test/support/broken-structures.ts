const label = (en: string) => ({ en, de: `${en} (de)` })

/** A valid structure with every setting, in both forms: with option objects, and with settings of the question itself. */
const COMPLETE = {
  title: label('Complete'),
  description: 'About {{ name }}',
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'de', name: 'Deutsch' },
  ],
  firstPageTitleDescription: true,
  languageDisplayStyle: 'list',
  jumping: true,
  uniques: [],
  quotas: [
    {
      name: 'full',
      limit: 10,
      action: 'close',
      when: { all: [{ question: 'name', op: 'answered' }] },
      message: 'Full',
    },
    { name: 'second', limit: 1, action: 'terminate', when: { question: 'car', op: 'eq', value: 0 } },
  ],
  form: [
    {
      type: 'page',
      title: label('First'),
      description: 'First page',
      randomize: true,
      children: [
        {
          idname: 'text-response',
          id: 'name',
          identifier: 'who',
          title: label('Name'),
          width: 50,
          children: [
            {
              type: 'string',
              required: true,
              lines: 3,
              default: 'x',
              validation: { kind: 'integer', min: 1, max: 5, minLength: 1, maxLength: 3, message: label('No') },
            },
          ],
        },
        {
          idname: 'single-choice',
          id: 'country',
          children: [
            {
              type: 'single',
              choices: [
                { label: label('Germany'), code: 'de', score: '3', uid: 4, exclusive: false },
                { label: 'Else', code: 'fr', other: true },
              ],
            },
          ],
        },
        {
          idname: 'dropdown-choice',
          id: 'city',
          choiceFilter: [{ question: 'country', attribute: 'country' }],
          choices: [{ label: 'Berlin', attributes: { country: 'de', size: [1, 'big'] } }, { label: 'All' }],
        },
        {
          idname: 'datetime',
          id: 'day',
          children: [{ type: 'date', format: 'date', earliest: 'today-7', latest: '2027-01-31' }],
        },
        { idname: 'number', id: 'num', min: 0, max: 10, also: [99, 999], decimals: 2, unit: 'kg' },
      ],
      skip: [
        { to: 2 },
        {
          when: {
            any: [{ all: [{ question: 'num', op: 'gt', value: 3 }] }, { question: 'name', op: 'eq', value: 'x' }],
          },
        },
      ].map((skip) => ({ to: 'terminate', ...skip })),
    },
    {
      condition: {
        all: [
          { question: 'country', op: 'eq', code: 'de' },
          { question: 'num', op: 'lt', answer: 'num' },
          { question: 'name', op: 'contains', value: ['a', 'b'] },
        ],
      },
      children: [
        {
          idname: 'multiple-choice',
          id: 'many',
          condition: { question: 'who', op: 'ne', value: 'y' },
          children: [{ type: 'multiple', minSelected: 1, maxSelected: 2, choices: [{ label: 'A' }, { label: 'B' }] }],
        },
        {
          idname: 'single-choice-grid',
          id: 'grid',
          choices: [{ label: 'A', code: 'a' }, { label: 'B' }],
          children: [{ type: 'single', label: label('Row'), code: 'r1', uid: 2, required: false }, { label: 'Row' }],
        },
        {
          idname: 'image-choice',
          id: 'img',
          choices: [{ label: 'A', image: { url: 'https://x.example/a.png', alt: label('pic') } }],
          multiple: true,
        },
        { idname: 'rating', id: 'stars', max: 5, leftLabel: 'low' },
        { idname: 'slider', id: 'slide', children: [{ type: 'slider', min: 0, max: 50, step: 5, rightLabel: 'b' }] },
        { idname: 'net-promoter', id: 'nps', categories: [{ label: 'x', choices: [{ label: '0' }] }] },
        { idname: 'boolean', id: 'car', choices: [{ label: 'Yes', uid: 1 }, { label: 'No' }] },
        { idname: 'calculation', id: 'calc', children: [{ type: 'calculation', expression: '{{ num }} * 2' }] },
        { idname: 'consent', id: 'ok', statement: label('I agree'), version: '2' },
        { idname: 'file-upload', id: 'file', maxFiles: 2, maxSize: 5, fileTypes: ['image'] },
        { idname: 'constant-sum', id: 'sum', total: 50, partial: true, children: [{ type: 'number', label: 'A' }] },
        { idname: 'unheard-of', id: 'unknown', children: [{ choices: 7 }], choices: [7], min: 'x' },
        { idname: 'random-group', id: 'arm', choices: [{ label: label('A'), weight: 2 }, { label: label('B') }] },
      ],
    },
    { idname: 'text', title: 'Outside of pages', lines: 2 },
  ],
}

/** Values of which each is wrong in most places. */
export const WRONG: readonly unknown[] = [
  ...[null, -1, 1.5, 1e16, 'x', ' ', 'y'.repeat(300), '{{ name }}'.repeat(60), true, {}, [], [7], ['x', 'x']],
  ...[[{}], { en: 3, 'no!': 'x' }, { label: 'x' }],
]

type Path = readonly (string | number)[]

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...members.flatMap(([step, member]) => pathsOf(member, [...path, step]))]
}

/** A change of {@link COMPLETE}. */
interface BrokenStructure {
  /** The position that is changed, as a JSON pointer. */
  pointer: string
  /** What is done there: the number of the value from {@link WRONG}, or `deleted` or `repeated`. */
  change: string
  structure: unknown
}

/** Returns structures of which one part is wrong: each part in every way. */
export const brokenStructures = (): BrokenStructure[] =>
  pathsOf(COMPLETE).flatMap((path) => {
    const changed = (
      change: string,
      edit: (owner: Record<string | number, unknown>, step: string | number) => void,
    ) => {
      const copy: { root: unknown } = structuredClone({ root: COMPLETE })
      const steps = ['root', ...path]
      const owner = steps.slice(0, -1).reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], copy)
      edit(owner as Record<string | number, unknown>, steps.at(-1)!)
      return { pointer: path.map((step) => `/${step}`).join(''), change, structure: copy.root }
    }
    return [
      changed('deleted', (owner, step) => (Array.isArray(owner) ? owner.splice(Number(step), 1) : delete owner[step])),
      changed('repeated', (owner, step) => {
        if (Array.isArray(owner[step])) owner[step] = [...owner[step], ...owner[step]]
      }),
      ...WRONG.map((value, index) => changed(String(index), (owner, step) => (owner[step] = value))),
    ]
  })
