const MiB_PER_GB = 1024;

/** CPU units → memory in MiB: the least, the most, and the step between. */
const SIZES: Readonly<Record<number, readonly [least: number, most: number, step: number]>> = {
  512: [1024, 4096, 1024],
  1024: [2048, 8192, 1024],
  2048: [4096, 16_384, 1024],
  4096: [8192, 30_720, 1024],
  8192: [16_384, 61_440, 4096],
  16384: [32_768, 122_880, 8192],
};

/** Whether Fargate offers this much CPU with this much memory. */
export function isFargateSize(cpuUnits: number, memoryMiB: number): boolean {
  if (cpuUnits === 256) return [512, 1024, 2048].includes(memoryMiB);
  const [least, most, step] = SIZES[cpuUnits] ?? [0, -1, 1];
  return memoryMiB >= least && memoryMiB <= most && (memoryMiB - least) % step === 0;
}

/** `1024` or `1 vCPU`; undefined: neither. */
export function cpuUnits(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*(vcpu)?$/i.exec(text) ?? [];
  if (number === undefined) return undefined;
  return unit === undefined ? Number(number) : Number(number) * 1024;
}

/** `4096` or `4 GB`; undefined: neither. */
export function memoryMiB(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*(gb)?$/i.exec(text) ?? [];
  if (number === undefined) return undefined;
  return unit === undefined ? Number(number) : Number(number) * MiB_PER_GB;
}
