const choices = (...labels: string[]) => labels.map((label) => ({ label: { en: label, fr: `${label} (fr)` } }))
const rows = (type: string) => ['Service', 'Price'].map((label) => ({ type, label }))
const question = (idname: string, option: object = {}, more: object = {}) => ({
  idname,
  id: idname.replaceAll('-', '_'),
  title: { en: `A question of type ${idname}`, fr: `Une question de type ${idname}` },
  children: [option],
  ...more,
})

/** A structure with a question of every type on two pages, a condition, a skip and a quota. */
export const everyKind = {
  title: { en: 'Every question type', fr: 'Tous les types de question' },
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  quotas: [{ name: 'first hundred', limit: 100, action: 'complete', message: 'Thank you.' }],
  form: [
    {
      type: 'page',
      children: [
        { idname: 'section-separator', title: 'Welcome – 漢字, “quoted”, <b>bold</b>' },
        question('text-response'),
        question('single-choice', { choices: [...choices('Red', 'Blue'), { label: 'Another', other: true }] }),
        question('multiple-choice', { choices: choices('Tea', 'Milk', 'Sugar') }),
        question('dropdown-choice', { choices: choices('North', 'South') }),
        question('boolean-choice'),
        question('datetime', { format: 'date' }),
        question('hidden-field', { default: 'from the start' }),
        question('number', { min: 0, max: 150, unit: 'years' }),
        question('email'),
      ],
      skip: [{ when: { all: [{ question: 'boolean_choice', op: 'eq', value: false }] }, to: 2 }],
    },
    {
      type: 'page',
      children: [
        question('ranking', { choices: choices('First', 'Second', 'Third') }),
        question('single-choice-grid', {}, { choices: choices('Bad', 'Good'), children: rows('single') }),
        question('text-response-grid', {}, { children: rows('string') }),
        question('dropdown-grid', {}, { choices: choices('Bad', 'Good'), children: rows('dropdown') }),
        question('multiple-choice-grid', {}, { choices: choices('At home', 'At work'), children: rows('multiple') }),
        question('net-promoter', { leftLabel: 'Not likely', rightLabel: 'Very likely' }),
        question('rating', { steps: 5 }),
        question('slider', { max: 10, step: 0.5 }),
        question('calculation', { expression: '2 * {{ number }}' }),
        question('consent', { statement: 'I accept the terms.', version: '2026-01' }),
        question('signature'),
        question('random-group', { choices: [{ label: 'Short' }, { label: 'Long', weight: 2 }] }),
        question('constant-sum', {}, { total: 10, children: rows('number') }),
        question('image-choice', {
          choices: [
            { label: 'Green', image: { url: 'https://images.example.org/green.jpg', alt: 'A green cup' } },
            { label: 'Blue', image: { url: 'https://images.example.org/blue.jpg', alt: 'A blue cup' } },
          ],
        }),
      ],
    },
  ],
}

/** A structure with one question on one page. */
export const oneQuestion = {
  title: 'One question',
  form: [{ children: [{ idname: 'text-response', id: 'words', title: 'Anything to tell us?', children: [{}] }] }],
}

/** Returns answers to every question that stores an answer. The number determines the values. */
export const answersTo = (n: number) => ({
  text_response: ['plain', 'a\ttab and\na line', '"quoted", with a comma', '\\N', 'é漢🙂'][n % 5],
  single_choice: n % 3,
  ...(n % 3 === 2 && { 'single_choice\\other': `Green ${n}` }),
  multiple_choice: [n % 3],
  dropdown_choice: n % 2,
  boolean_choice: n % 2 === 0,
  datetime: `2026-03-${String(1 + (n % 28)).padStart(2, '0')}`,
  hidden_field: `from ${n}`,
  number: n % 100,
  email: `respondent${n}@example.org`,
  ranking: [(n + 1) % 3, n % 3, (n + 2) % 3],
  single_choice_grid_0: n % 2,
  text_response_grid_1: `row ${n}`,
  dropdown_grid_1: n % 2,
  multiple_choice_grid_0: [0, 1],
  net_promoter: n % 11,
  rating: 1 + (n % 5),
  slider: (n % 20) / 2,
  consent: true,
  signature: `Respondent ${n}`,
  constant_sum_0: n % 11,
  constant_sum_1: 10 - (n % 11),
  image_choice: n % 2,
  _completed: n % 7 === 0 ? 0 : 1,
})
