/** A survey with choices that earlier answers filter: country, region and town. */

type Json = Record<string, unknown>

export const COUNTRIES = [
  { label: 'Germany', code: 'de' },
  { label: 'Austria', code: 'at' },
  { label: 'Monaco', code: 'mc' },
]
export const REGIONS = [
  { label: 'Bavaria', code: 'by', attributes: { country: 'de' } },
  { label: 'Saxony', code: 'sn', attributes: { country: 'de' } },
  { label: 'Tyrol', code: 't', attributes: { country: 'at' } },
  { label: 'Alps', code: 'alps', attributes: { country: ['de', 'at'] } },
]
export const TOWNS = [
  { label: 'Munich', attributes: { country: 'de', region: 'by' } },
  { label: 'Dresden', attributes: { country: 'de', region: 'sn' } },
  { label: 'Innsbruck', attributes: { country: 'at', region: 't' } },
  { label: 'Another town', other: true },
]

const question = (idname: string, id: string, title: string, option: Json) => ({
  idname,
  id,
  title,
  children: [option],
})

/** Returns the questions about country, region and town. */
export const cascade = (required = false) => ({
  country: question('single-choice', 'country', 'Country', { choices: COUNTRIES, required }),
  region: question('dropdown-choice', 'region', 'Region', {
    choices: REGIONS,
    required,
    choiceFilter: [{ question: 'country', attribute: 'country' }],
  }),
  town: question('multiple-choice', 'town', 'Town', {
    choices: TOWNS,
    choiceFilter: [
      { question: 'country', attribute: 'country' },
      { question: 'region', attribute: 'region' },
    ],
  }),
})

/** Returns a structure with these pages of questions. */
export const cascadeSurvey = (pages: Json[][], more: Json = {}) => ({
  title: 'Where do you live?',
  form: pages.map((children) => ({ type: 'page', children })),
  ...more,
})
