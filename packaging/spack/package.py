# SPDX-License-Identifier: (Apache-2.0 OR MIT)
# The recipe of commloom for Spack. `make dist` writes version, sum and compiler from Cargo.toml.

import os

from spack.package import *


class Commloom(Package):
    """Runs MPI programs with faster derived datatypes, without compiling them again.

    One build serves MPICH and libraries of its ABI, Open MPI 4 and 5, and the standard ABI of
    MPI 5: it is built without an MPI library.
    """

    homepage = "https://github.com/commloom/commloom"
    url = "https://github.com/commloom/commloom/releases/download/v@VERSION@/commloom-@VERSION@.tar.gz"

    license("MIT OR Apache-2.0", checked_by="commloom")

    version("@VERSION@", sha256="@SHA256@")

    variant("refactor", default=True, description="commloom refactor and its language server")

    depends_on("c", type="build")
    depends_on("rust@@RUST@:", type="build")
    depends_on("gmake", type="build")

    conflicts("platform=darwin", msg="commloom preloads libraries as glibc does")
    requires("target=x86_64:", msg="the preloads are for x86-64")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        # cargo takes its crates from crates.io, or from the mirror that its configuration names.
        parts = [f"--package=commloom-interpose-{abi}" for abi in ("mpich", "openmpi", "abi")]
        cargo("build", "--release", "--locked", "--package=commloom-capi", *parts)
        features = [] if spec.satisfies("+refactor") else ["--no-default-features"]
        cargo("build", "--release", "--locked", "--package=commloom", *features)
        os.environ["PREFIX"] = prefix
        Executable("scripts/install")()

    def test_version(self):
        """the command runs"""
        commloom = which(join_path(self.prefix.bin, "commloom"), required=True)
        out = commloom("--version", output=str.split, error=str.split)
        assert str(self.spec.version) in out
