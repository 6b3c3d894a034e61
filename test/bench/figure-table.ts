import { type Figure, isMet, ratio } from './figure.ts';

/** The figures as Markdown. */
export function figureTable(figures: Figure[]): string {
  const head = ['figure', 'ours', 'reference', 'ratio', 'goal', ''];
  return [head, head.map(() => '---'), ...figures.map(row)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function row(figure: Figure): string[] {
  const { name, ours, reference, unit } = figure;
  const value = (number: number) => `${shown(number)} ${unit}`;
  return [
    name,
    value(ours),
    reference === undefined ? '' : `${value(reference.value)}, ${reference.name}`,
    reference === undefined ? '' : `${ratio(figure).toFixed(2)} ×`,
    goal(figure),
    verdict(isMet(figure)),
  ];
}

function goal({ goal, reference, unit }: Figure): string {
  if (goal === undefined) return '';
  const [sign, bound] = typeof goal === 'number' ? ['≤', goal] : ['≥', goal.atLeast];
  return `${sign} ${bound} ${reference === undefined ? unit : '×'}`;
}

function shown(number: number): string {
  return Number.isInteger(number) || Math.abs(number) >= 10 ? number.toFixed(0) : number.toFixed(2);
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : 'missed';
}
