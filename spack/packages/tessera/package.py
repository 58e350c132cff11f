# SPDX-License-Identifier: BSD-3-Clause
import os

from spack.package import *

try:  # Spack 1.0 and later
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # before that, spack.package has it
    pass


class Tessera(CMakePackage):
    """Image and stencil pipelines, distributed over ranks, threads and GPUs, on Kokkos and MPI."""

    # The checkout that holds this Spack repository.
    git = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("openmp", default=True, description="Threads on the host, with OpenMP")
    variant("cuda", default=False, description="NVIDIA GPUs")
    variant("rocm", default=False, description="AMD GPUs")
    variant("apps", default=True, description="Build the applications")
    variant("benchmarks", default=False, description="Build tessera-bench")
    variant("checks", default=False, description="Check every access against its footprint")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("kokkos@3.4:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+cuda+wrapper", when="+cuda")
    depends_on("kokkos+rocm", when="+rocm")
    depends_on("mpi")
    depends_on("hdf5@1.10.7: +mpi")
    depends_on("libpng")
    depends_on("libtiff@4.5:")
    depends_on("jpeg")
    depends_on("cfitsio")
    depends_on("yaml-cpp")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("hwloc")
    depends_on("googletest", type="test")
    depends_on("py-h5py", type="test")
    depends_on("benchmark", when="+benchmarks")

    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("TESSERA_BUILD_APPS", "apps"),
            self.define_from_variant("TESSERA_BUILD_BENCHMARKS", "benchmarks"),
            self.define_from_variant("TESSERA_CHECKS", "checks"),
            self.define("TESSERA_BUILD_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CXX_COMPILER", self.spec["kokkos"].kokkos_cxx))
        return arguments
