import { textNames } from '../../../domain/text/catalog.ts'
import { perLanguage, t } from '../../i18n/t.ts'

/** A group of texts that the form shows together. */
export interface TextGroup {
  id: string
  title: string
  names: readonly string[]
}

const named: () => readonly TextGroup[] = perLanguage(() => [
  {
    id: 'buttons',
    title: t('Buttons and labels'),
    names: [
      ...[
        'next',
        'back',
        'submit',
        'save_for_later',
        'required',
        'choose',
        'no_answer',
        'other_text',
        'agree',
        'progress',
      ],
      ...['pages', 'language', 'skip'],
    ],
  },
  {
    id: 'end',
    title: t('End of the survey'),
    names: [
      ...['thank_you_title', 'thank_you', 'terminated_title', 'terminated', 'full'],
      ...['saved_title', 'saved', 'continue_now', 'qr_code', 'copy_link', 'link_copied', 'email_link', 'email_address'],
      ...['send_link', 'link_sent', 'link_not_sent', 'link_subject', 'link_mail'],
      ...['resume_title', 'resume_text', 'resume_continue', 'start_again'],
    ],
  },
  {
    id: 'closed',
    title: t('Closed survey and invitations'),
    names: [
      ...['closed_title', 'closed', 'not_yet_open', 'ended', 'invitation_required', 'unknown_code', 'unlinked_code'],
      ...['used', 'no_saved_answers_title'],
    ],
  },
  {
    id: 'hints',
    title: t('Hints'),
    names: textNames.filter((name) => /^(choose_|number_|rating_|rank|move_|keep_|answer_first)/.test(name)),
  },
  {
    id: 'errors',
    title: t('Errors in answers'),
    names: ['error_title', 'error_prefix', ...textNames.filter((name) => /^error_(?!title$|prefix$)/.test(name))],
  },
])
const grouped = new Set(named().flatMap(({ names }) => names))

/** All texts that owners can change. */
export const textGroups: () => readonly TextGroup[] = perLanguage(() => [
  ...named(),
  { id: 'access', title: t('Password, sign-in and problems'), names: textNames.filter((name) => !grouped.has(name)) },
])
