import { pageOf, single, text } from '../support/surveys.ts'

const translated = (en: string, fr: string) => ({ en, fr })
const labels = (...pairs: [string, string][]) => pairs.map(([en, fr]) => ({ label: translated(en, fr) }))

const columns = labels(['Never', 'Jamais'], ['Sometimes', 'Parfois'], ['Often', 'Souvent'], ['Always', 'Toujours'])

/** Three pages in two languages with many question types; site-map-data.ts has questions of newer types. */
export const breakfastSurvey = {
  title: translated('Bread and breakfast', 'Pain et petit déjeuner'),
  description: translated(
    'Ten minutes about the first meal of the day. Your answers stay with us.',
    'Dix minutes sur le premier repas de la journée. Vos réponses restent chez nous.',
  ),
  languages: [
    { code: 'en', name: 'English', isDefault: true },
    { code: 'fr', name: 'Français', isDefault: false },
  ],
  form: [
    pageOf(
      { ...text('name', { required: true }), title: translated('What is your name?', 'Comment vous appelez-vous ?') },
      {
        ...text('mail', { validation: { kind: 'email' } }),
        title: translated('Your email address', 'Votre adresse e-mail'),
        description: translated('Only for the draw at the end.', 'Seulement pour le tirage au sort.'),
      },
      {
        idname: 'single-choice',
        id: 'bread',
        title: translated('Which bread do you eat most?', 'Quel pain mangez-vous le plus ?'),
        children: [
          {
            type: 'single',
            required: true,
            choices: [
              ...labels(['Rye', 'Seigle'], ['Wheat', 'Froment']),
              { label: translated('Another one', 'Un autre'), other: true },
            ],
          },
        ],
      },
      {
        ...text('whyrye'),
        title: translated('Why rye?', 'Pourquoi le seigle ?'),
        condition: { all: [{ question: 'bread', op: 'eq', value: 0 }] },
      },
      {
        idname: 'multiple-choice',
        id: 'with',
        title: translated('What do you put on it?', 'Que mettez-vous dessus ?'),
        children: [
          {
            type: 'multiple',
            choices: [
              ...labels(['Butter', 'Beurre'], ['Cheese', 'Fromage'], ['Jam', 'Confiture']),
              { label: translated('Nothing', 'Rien'), exclusive: true },
            ],
          },
        ],
      },
      {
        idname: 'boolean-choice',
        id: 'toast',
        title: translated('Do you toast it?', 'Le grillez-vous ?'),
        children: [{ type: 'boolean' }],
      },
    ),
    pageOf(
      {
        idname: 'section-separator',
        title: translated('Your mornings, {{ name }}', 'Vos matins, {{ name }}'),
        description: translated('How they usually go.', 'Comment ils se passent.'),
        children: [],
      },
      {
        idname: 'single-choice-grid',
        id: 'grid',
        title: translated('How often …', 'À quelle fréquence …'),
        choices: columns,
        children: [
          {
            type: 'single',
            label: translated('do you eat breakfast at home?', 'déjeunez-vous à la maison ?'),
            required: true,
          },
          { type: 'single', label: translated('do you eat alone?', 'mangez-vous seul ?') },
        ],
      },
      {
        idname: 'dropdown-grid',
        id: 'drops',
        title: translated('Who prepares it …', 'Qui le prépare …'),
        choices: labels(['Me', 'Moi'], ['Somebody else', 'Quelqu’un d’autre']),
        children: [
          { type: 'dropdown', label: translated('on weekdays', 'en semaine') },
          { type: 'dropdown', label: translated('on Sundays', 'le dimanche') },
        ],
      },
      {
        idname: 'text-response-grid',
        id: 'texts',
        title: translated('Where do you buy …', 'Où achetez-vous …'),
        children: [
          { type: 'string', label: translated('bread', 'le pain') },
          { type: 'string', label: translated('coffee', 'le café') },
        ],
      },
      {
        idname: 'dropdown-choice',
        id: 'drop',
        title: translated('Your kitchen', 'Votre cuisine'),
        children: [{ type: 'dropdown', choices: labels(['Large', 'Grande'], ['Small', 'Petite']) }],
      },
      {
        idname: 'datetime',
        id: 'when',
        title: translated('When do you get up?', 'À quelle heure vous levez-vous ?'),
        children: [{ type: 'datetime', format: 'time' }],
      },
      { idname: 'hidden-field', id: 'source', identifier: 'source', title: 'Source', children: [{ type: 'hidden' }] },
    ),
    pageOf(
      {
        idname: 'ranking',
        id: 'rank',
        title: translated('Put in order, best first', 'Mettez dans l’ordre, le meilleur d’abord'),
        children: [
          { type: 'ranking', required: true, choices: labels(['Coffee', 'Café'], ['Tea', 'Thé'], ['Juice', 'Jus']) },
        ],
      },
      {
        idname: 'net-promoter',
        id: 'nps',
        title: translated('Would you recommend breakfast to a friend?', 'Recommanderiez-vous le petit déjeuner ?'),
        children: [
          {
            type: 'net-promoter',
            required: true,
            leftLabel: translated('Not at all', 'Pas du tout'),
            rightLabel: translated('Very much', 'Tout à fait'),
          },
        ],
      },
      {
        idname: 'magic-wand',
        id: 'magic',
        title: translated('A question of an unknown type', 'Une question de type inconnu'),
        children: [],
      },
    ),
  ],
}

/** One page with one question, for tests that are not about questions. */
export const oneQuestion = { title: 'Little survey', form: [pageOf(single('one', ['Yes', 'No']))] }
