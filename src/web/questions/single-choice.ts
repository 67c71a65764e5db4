import { t } from '../i18n/t.ts'
import { choiceList } from './choice-list.ts'
import { oneChoice } from './paper.ts'
import type { QuestionView } from './question-view.ts'

/** How a `single-choice` question is drawn and edited. */
export const singleChoice: QuestionView<'single-choice'> = {
  idname: 'single-choice',
  name: () => ({
    label: t('Single choice'),
    hint: t('Respondents pick one choice.'),
    words: t('radio buttons multiple choice select one'),
  }),
  withOther: true,
  exclusiveLabel: () => t('Always at the end, even in random order'),
  isRadio: true,
  paper: oneChoice,
  render: choiceList('radio'),
}
