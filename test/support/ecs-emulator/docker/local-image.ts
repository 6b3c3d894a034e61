const OF_ECR = /^\d{12}\.dkr\.ecr\.[^/]+\/[^@]+@(sha256:[0-9a-f]{64})$/;

/** What the engine calls an image. No registry of ECR is reached: what is in one is in the engine, its id as digest. */
export function localImage(image: string): string {
  return OF_ECR.exec(image)?.[1] ?? image;
}
