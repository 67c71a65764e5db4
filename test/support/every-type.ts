const named = (...labels: string[]) => labels.map((label) => ({ label }))

/** The labels are numbers, so each of them is the index of another choice. */
const SCALE = named('1', '2', '3')
export const CODED = [
  { label: 'Fully', code: '9' },
  { label: 'Partly', code: '2' },
  { label: 'Never', code: '5' },
]

const questions: { idname: string; [member: string]: unknown }[] = [
  { idname: 'section-separator', title: 'Welcome' },
  { idname: 'text-response', id: 'remark', title: 'Your <b>remark</b>' },
  { idname: 'text-response', id: 'count', title: 'A number', validation: { kind: 'integer' } },
  {
    idname: 'single-choice',
    id: 'colour',
    title: 'Colour',
    choices: [...named('Red', 'Blue'), { label: 'Other', other: true }],
  },
  { idname: 'single-choice', id: 'scale', title: 'Scale', choices: SCALE },
  { idname: 'dropdown-choice', id: 'often', title: 'How often?', choices: CODED },
  {
    idname: 'multiple-choice',
    id: 'drinks',
    title: 'Drinks',
    choices: [...named('Tea', 'Milk'), { label: 'Else', other: true }],
  },
  { idname: 'multiple-choice', id: 'coded', title: 'Coded', choices: CODED },
  { idname: 'boolean-choice', id: 'again', title: 'Again?' },
  { idname: 'datetime', id: 'day', title: 'Day', format: 'date' },
  { idname: 'datetime', id: 'moment', title: 'Moment', format: 'datetime' },
  { idname: 'datetime', id: 'clock', title: 'Clock', format: 'time' },
  { idname: 'hidden-field', id: 'source', title: 'Source' },
  { idname: 'ranking', id: 'rank', title: 'Order', choices: named('A', 'B', 'C') },
  { idname: 'single-choice-grid', id: 'rate', title: 'Rate', choices: SCALE, children: named('Food', 'Drink') },
  { idname: 'text-response-grid', id: 'words', title: 'Words', choices: [], children: named('First', 'Second') },
  { idname: 'dropdown-grid', id: 'when', title: 'When?', choices: CODED, children: named('Home', 'Work') },
  { idname: 'net-promoter', id: 'nps', title: 'Recommend?' },
  { idname: 'number', id: 'price', title: 'Price', decimals: 10 },
  { idname: 'email', id: 'mail', title: 'Email' },
  { idname: 'rating', id: 'stars', title: 'Stars' },
  { idname: 'slider', id: 'slide', title: 'Slide' },
  { idname: 'calculation', id: 'twice', title: 'Twice', expression: '{{ price }} * 2' },
  { idname: 'consent', id: 'ok', title: 'Consent', statement: 'I agree', version: '1.0' },
  { idname: 'image-choice', id: 'cup', title: 'Cup', choices: named('Green', 'Blue') },
  { idname: 'image-choice', id: 'cups', title: 'Cups', choices: named('Green', 'Blue'), multiple: true },
  {
    idname: 'multiple-choice-grid',
    id: 'uses',
    title: 'Uses',
    choices: named('Mine', 'Ours'),
    children: named('Home', 'Work'),
  },
  { idname: 'file-upload', id: 'photo', title: 'Photo' },
  { idname: 'signature', id: 'sign', title: 'Signature' },
  { idname: 'constant-sum', id: 'budget', title: 'Budget', children: named('Rent', 'Food'), unit: 'points' },
  {
    idname: 'random-group',
    id: 'arm',
    title: 'Arm',
    choices: [{ label: 'Old' }, { label: 'New', weight: 2 }],
  },
]

/** A survey with every question type, on two pages. The second page is shown only to those who chose red. */
export const EVERY_TYPE = {
  title: 'Every type',
  form: [
    { children: questions },
    {
      condition: { all: [{ question: 'colour', op: 'eq', value: 0 }] },
      children: [{ idname: 'multiple-choice', id: 'later', title: 'Later', choices: named('Soon', 'Late') }],
    },
  ],
}

/** The question types of {@link EVERY_TYPE}. */
export const TYPES = new Set(questions.map(({ idname }) => idname))

/** Answers to all questions but files: a full response, one with the last choices and one with hardly any answer. */
export const EVERY_ANSWER: Record<string, unknown>[] = [
  {
    remark: 'two\r\nlines, "quoted"',
    count: '7',
    colour: 0,
    scale: 0,
    often: 0,
    drinks: [0, 2],
    'drinks\\other': '=1+1',
    coded: [0, 2],
    again: true,
    day: '2026-03-01',
    moment: '2026-03-01T09:30:00',
    clock: '09:30',
    source: 'mail',
    rank: [2, 0, 1],
    rate_0: 0,
    rate_1: 2,
    words_0: 'a',
    words_1: '1,5',
    when_0: 0,
    when_1: 1,
    nps: 9,
    price: 0.0000000125,
    mail: 'ann@example.org',
    stars: 5,
    slide: 40,
    ok: true,
    cup: 1,
    cups: [1],
    uses_0: [0, 1],
    uses_1: [0],
    sign: 'Ann',
    budget_0: 70,
    budget_1: 30,
    later: [1],
  },
  {
    remark: '007',
    count: '-3',
    colour: 2,
    'colour\\other': 'violet',
    scale: 2,
    often: 2,
    drinks: [1],
    again: false,
    rank: [1, 2, 0],
    rate_0: 1,
    nps: 0,
    price: -2.5,
    stars: 1,
    slide: 0,
    uses_1: [1],
  },
  { colour: 0 },
]
