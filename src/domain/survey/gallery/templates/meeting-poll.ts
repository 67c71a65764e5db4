import { line, page, paragraph, single, t } from '../authoring.ts'
import type { GalleryDraft } from '../gallery.ts'

export const meetingPoll: GalleryDraft = {
  id: 'meeting-poll',
  name: 'Meeting poll',
  description: 'For a group that is choosing a date. Asks which times suit each person, and how they can take part.',
  category: 'Events',
  languages: ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'],
  structure: {
    title: t(
      'When can we meet?',
      'Wann können wir uns treffen?',
      '¿Cuándo podemos reunirnos?',
      'Quand pouvons-nous nous réunir ?',
      'Quando possiamo incontrarci?',
      'Wanneer kunnen we afspreken?',
      'Quando podemos reunir-nos?',
    ),
    form: [
      page(undefined, [
        line('name', t('Your name', 'Ihr Name', 'Su nombre', 'Votre nom', 'Il suo nome', 'Uw naam', 'O seu nome'), {
          required: true,
        }),
        {
          idname: 'single-choice-grid',
          id: 'dates',
          title: t(
            'Which times suit you?',
            'Welche Termine passen Ihnen?',
            '¿Qué horarios le convienen?',
            'Quels créneaux vous conviennent ?',
            'Quali orari vanno bene per lei?',
            'Welke tijden komen u uit?',
            'Que horários lhe convêm?',
          ),
          choices: [
            t('Yes', 'Ja', 'Sí', 'Oui', 'Sì', 'Ja', 'Sim'),
            t(
              'If need be',
              'Notfalls',
              'Si es necesario',
              'Si nécessaire',
              'Se necessario',
              'Als het moet',
              'Se necessário',
            ),
            t('No', 'Nein', 'No', 'Non', 'No', 'Nee', 'Não'),
          ].map((label) => ({ label })),
          children: [
            t(
              'Monday morning',
              'Montagvormittag',
              'Lunes por la mañana',
              'Lundi matin',
              'Lunedì mattina',
              'Maandagochtend',
              'Segunda-feira de manhã',
            ),
            t(
              'Tuesday afternoon',
              'Dienstagnachmittag',
              'Martes por la tarde',
              'Mardi après-midi',
              'Martedì pomeriggio',
              'Dinsdagmiddag',
              'Terça-feira à tarde',
            ),
            t(
              'Thursday morning',
              'Donnerstagvormittag',
              'Jueves por la mañana',
              'Jeudi matin',
              'Giovedì mattina',
              'Donderdagochtend',
              'Quinta-feira de manhã',
            ),
          ].map((label) => ({ type: 'single', label, required: true })),
        },
        single(
          'mode',
          t(
            'How would you like to take part?',
            'Wie möchten Sie teilnehmen?',
            '¿Cómo desea participar?',
            'Comment souhaitez-vous participer ?',
            'Come desidera partecipare?',
            'Hoe wilt u deelnemen?',
            'Como deseja participar?',
          ),
          [
            t('On site', 'Vor Ort', 'En persona', 'Sur place', 'Di persona', 'Op locatie', 'Presencialmente'),
            t('Online', 'Online', 'En línea', 'En ligne', 'Online', 'Online', 'Online'),
            t(
              'Either',
              'Beides ist möglich',
              'Me da igual',
              'Les deux me conviennent',
              'Entrambi vanno bene',
              'Maakt niet uit',
              'Qualquer uma',
            ),
          ],
        ),
        paragraph(
          'topics',
          t(
            'Which topics should we discuss?',
            'Welche Themen sollen wir besprechen?',
            '¿Qué temas deberíamos tratar?',
            'Quels sujets devrions-nous aborder ?',
            'Di quali argomenti dovremmo parlare?',
            'Welke onderwerpen moeten we bespreken?',
            'Que temas devemos abordar?',
          ),
        ),
      ]),
    ],
  },
}
